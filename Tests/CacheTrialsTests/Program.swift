// Most files here start the built program.
@_exported import BuiltProgram
