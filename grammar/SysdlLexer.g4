// The tokens of sysdl, as they lie in the text.
//
// What depends on the neighbours is left to frontend/parse/layout.cpp, which rewrites the tokens before the parser sees
// them: whether a NAME is a statement word, whether a word after a number is a UNIT, where a statement ends (END). The
// types that only it makes stand in `tokens`; tokens.def lists all types with the words that messages use for them.
lexer grammar SysdlLexer;

tokens {
  SYSDL, IMPORT, DIMENSION, UNIT_WORD, ENUM, ABSTRACT, SCHEMA, OPERATOR, BLOCK, FN, TEST,
  DERIVED, INPUT, RESULT, CHILDREN, NEW, DROP, LET, REQUIRE, WARN, SOURCE, PARAM, FUSE, SHARD, STORE, STAGES,
  NONLINEAR, YIELD, SWEEP, KEEP, PARETO, TOP, LEAST, MOST, PLOT, EXPECT,
  OVER, WHERE, WITHIN, BY, AGAINST, PREFIXES, MINIMIZE, MAXIMIZE,
  IF, THEN, ELSE, FOR, IN, AS, AND, OR, NOT, MOD, TRUE, FALSE,
  UNIT, ARGUMENT_NAME, OPEN_RANGE, END, BAD
}

NUMBER     : DIGITS ( '.' DIGITS )? ( [eE] [+\-]? DIGITS )? ;
UNIT_PATH  : WORD ( ( '/' | '*' ) WORD | '^' '-'? [0-9]+ )+ ;
NAME       : WORD ;
STRING     : '"' ( ~["\\\r\n] | '\\' ~[\r\n] )* '"' ;

LBRACE     : '{' ;
RBRACE     : '}' ;
LPAREN     : '(' ;
RPAREN     : ')' ;
LBRACKET   : '[' ;
RBRACKET   : ']' ;
COMMA      : ',' ;
SEMICOLON  : ';' ;
COLON      : ':' ;
DOT        : '.' ;
RANGE      : '..' ;
ASSIGN     : '=' ;
ARROW      : '->' ;
QUESTION   : '?' ;
PERCENT    : '%' ;
PLUS       : '+' ;
MINUS      : '-' ;
TIMES      : '*' ;
DIVIDE     : '/' ;
CONTRACT   : '@' ;
POWER      : '^' ;
EQUAL      : '==' ;
NOT_EQUAL  : '!=' ;
LESS       : '<' ;
LESS_EQUAL : '<=' ;
GREATER    : '>' ;
GREATER_EQUAL : '>=' ;

DOC        : '///' ~[\r\n]* ;
COMMENT    : '//' ( ~[/\r\n] ~[\r\n]* )? ;
NEWLINE    : '\r'? '\n' ;
BLANK      : [ \t]+ ;

// Faults that are worth a message of their own.
BLOCK_COMMENT  : '/*' .*? ( '*/' | EOF ) ;
OPEN_STRING    : '"' ( ~["\\\r\n] | '\\' ~[\r\n] )* '\\'? ;
QUOTED         : '\'' ~['\r\n]* '\'' ;
WRONG_OPERATOR : '&&' | '||' | '!' | '**' | ':=' | '=>' | '+=' | '-=' | '*=' | '/=' | '<>' | '===' ;
WRONG          : . ;

fragment DIGITS : [0-9]+ ( '_' [0-9]+ )* ;
fragment WORD   : LETTER ( LETTER | [0-9] )* ;
fragment LETTER : [A-Za-z_\u00B5\u03BC] ;  // and both spellings of micro
