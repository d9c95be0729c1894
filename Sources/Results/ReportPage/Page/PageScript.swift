/// The page's script: sorts tables, explains columns, highlights and hides strategies. It adds the invisible lines that make
/// charts easy to hit. The page is readable without it.
enum PageScript {
    static let text = """
        (() => {
        'use strict';
        const all = (selector, from) => Array.from((from || document).querySelectorAll(selector));
        all('.line').forEach(line => {
        const wide = line.cloneNode();
        wide.setAttribute('class', 'hit');
        line.after(wide);
        });
        all('text.value').forEach(text => {
        const wide = document.createElementNS('http://www.w3.org/2000/svg', 'path');
        wide.setAttribute('class', 'hit row');
        wide.setAttribute('d', 'M0 ' + (text.getAttribute('y') - 4) + 'H' + text.getAttribute('x'));
        text.parentElement.prepend(wide);
        });
        const strategy = event => event.target.closest && event.target.closest('[data-s]');
        let current = null;
        const light = index => {
        if (index === current) return;
        current = index;
        all('.on').forEach(element => element.classList.remove('on'));
        document.body.classList.toggle('dim', index !== null);
        if (index !== null) all('[data-s="' + index + '"]').forEach(element => element.classList.add('on'));
        };
        const over = event => { const found = strategy(event); light(found ? found.dataset.s : null); };
        document.addEventListener('pointerover', over);
        document.addEventListener('focusin', over);
        document.addEventListener('focusout', () => light(null));
        all('.legend button').forEach(button => {
        button.addEventListener('click', () => {
        const hidden = button.getAttribute('aria-pressed') === 'true';
        button.setAttribute('aria-pressed', String(!hidden));
        all('.s[data-s="' + button.dataset.s + '"]').forEach(line => line.classList.toggle('off', hidden));
        });
        });
        const value = (row, index) => {
        const text = row.cells[index].dataset.v;
        const number = text === '' ? NaN : Number(text);
        return { text, number };
        };
        const compare = (left, right) => {
        if (left.text === '' || right.text === '') return 0;
        if (!isNaN(left.number) && !isNaN(right.number)) return left.number - right.number;
        return left.text < right.text ? -1 : left.text > right.text ? 1 : 0;
        };
        all('table').forEach(table => {
        const heads = all('th', table);
        const meaning = table.parentElement.nextElementSibling;
        heads.forEach((head, index) => {
        const button = head.querySelector('button');
        const say = () => { if (meaning && button.title) meaning.textContent = button.textContent + ': ' + button.title; };
        button.addEventListener('pointerenter', say);
        button.addEventListener('focus', say);
        button.addEventListener('click', () => {
        const ascending = head.getAttribute('aria-sort') !== 'ascending';
        heads.forEach(other => other.removeAttribute('aria-sort'));
        head.setAttribute('aria-sort', ascending ? 'ascending' : 'descending');
        const body = table.tBodies[0];
        Array.from(body.rows).map(row => ({ row, key: value(row, index) })).sort((left, right) => {
        const empty = (left.key.text === '') - (right.key.text === '');
        return empty || (ascending ? 1 : -1) * compare(left.key, right.key);
        }).forEach(entry => body.append(entry.row));
        });
        });
        });
        document.documentElement.dataset.ready = String(all('svg.chart').length);
        })();

        """
}
