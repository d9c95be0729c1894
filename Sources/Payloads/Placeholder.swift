// Interface to be implemented; see the text.
