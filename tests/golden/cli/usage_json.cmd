# A script that asks for JSON gets its usage errors as JSON.
sysdlc eval ../eval/tiny.sysdl --desing tiny --format json
