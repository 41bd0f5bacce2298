// The grammar of sysdl, over the tokens that frontend/parse/layout.cpp makes of the lexer's.
//
// Every decision is made on the next token alone, so the generated parser never predicts (a test holds it to that).
// What makes it so: statement words are told from names before parsing; each statement ends in END, also before `}`;
// newlines inside ( ) and [ ] and trailing commas are gone; an expression is a flat list of operands and operators,
// and precedence is applied by the tree builder (frontend/parse/build_expression.cpp).
parser grammar SysdlParser;
options { tokenVocab = SysdlLexer; }

// The whole file, for the reader; the adapter reads the edition itself and parses one item after another.
file       : edition END topLevel* EOF ;
edition    : SYSDL NUMBER ;
topLevel   : item END ;

// Where parsing starts: one declaration, one member (`-D path=value`), one expression.
oneItem       : topLevel EOF ;
oneMember     : statement EOF ;
oneExpression : expr END EOF ;

item       : importDecl | dimensionDecl | unitDecl | enumDecl | schemaDecl | operatorDecl | blockDecl | fnDecl
           | testDecl | decl | BAD ;

importDecl : IMPORT ( dotted | STRING ) ( AS NAME )? ;
dotted     : NAME ( DOT NAME )* ;
dimensionDecl : DIMENSION NAME ( ASSIGN expr )? ;
unitDecl   : UNIT_WORD ( NAME | PERCENT ) ( COLON type )? ( prefixes ( ASSIGN expr )? | ASSIGN expr prefixes? )? ;
prefixes   : PREFIXES names ;
enumDecl   : ENUM NAME LBRACE ( NAME END )* RBRACE ;
schemaDecl : ABSTRACT? SCHEMA NAME ( COLON type )? body ;
operatorDecl : OPERATOR NAME params body ;
blockDecl  : BLOCK NAME ( FOR NAME COLON type )? params body ;
fnDecl     : FN NAME params COLON type ASSIGN expr ;
testDecl   : TEST STRING body ;
decl       : dotted NAME ( body | ASSIGN expr ) ;
params     : LPAREN ( param ( COMMA param )* )? RPAREN ;
param      : NAME COLON type ( ASSIGN expr )? ;

body       : LBRACE statement* RBRACE ;
statement  : member END ;
member     : named | field | childrenRule | child | letRule | requireRule | warnRule | origin | weight | fuseRule
           | shardRule | storeRule | stagesRule | NONLINEAR | yieldRule | sweepRule | keepRule | paretoRule
           | topRule | bestRule | plotRule | expectRule | BAD ;

// What starts with a plain name: `name: Type`, `group label {…}`, `path = value` or `path {…}`.
named      : NAME ( fieldTail | NAME childTail | ( DOT NAME | LBRACKET expr RBRACKET )* ( ASSIGN expr origin? | body ) ) ;
fieldTail  : COLON type ( IN expr OPEN_RANGE? )? ( ASSIGN expr origin? )? ;
childTail  : ( body | ASSIGN expr )? ;
field      : ( DERIVED | INPUT | RESULT )+ NAME fieldTail ;
child      : ( NEW | DROP ) NAME NAME childTail ;
childrenRule : CHILDREN NAME COLON type ;
letRule    : LET NAME ASSIGN expr ;
requireRule : REQUIRE expr ( AS NAME )? ( ELSE STRING )? ;
warnRule   : WARN IF expr ( AS NAME )? COLON STRING ;
origin     : SOURCE STRING ( AS NAME )? ;
weight     : PARAM NAME COLON LBRACKET names ( COLON names )? ( ARROW names )? RBRACKET ;
fuseRule   : FUSE names ;
shardRule  : SHARD names OVER expr ( IF expr )? ( WHERE NAME )? ;
storeRule  : STORE names OVER expr ( IF expr )? ;
stagesRule : STAGES OVER expr ;
yieldRule  : YIELD expr ;
sweepRule  : SWEEP path IN expr ;
keepRule   : KEEP WHERE expr ;
paretoRule : PARETO goal ( COMMA goal )* ;
goal       : ( MINIMIZE | MAXIMIZE ) expr ;
topRule    : TOP NUMBER BY expr ;
bestRule   : ( LEAST | MOST ) expr ;
plotRule   : PLOT expr AGAINST expr ;
expectRule : EXPECT expr ( WITHIN expr )? ;

names      : NAME ( COMMA NAME )* ;
path       : NAME ( DOT NAME | LBRACKET expr RBRACKET )* ;
type       : dotted ( LBRACKET typeArg ( COMMA typeArg )* RBRACKET )? QUESTION? ;
typeArg    : type | OPEN_RANGE ;

// A choice stands only where an expression starts: as an operand it needs parentheses.
expr       : IF expr THEN expr ELSE expr
           | operand ( ( PLUS | MINUS | TIMES | DIVIDE | CONTRACT | MOD | POWER | RANGE | EQUAL | NOT_EQUAL | LESS
                       | LESS_EQUAL | GREATER | GREATER_EQUAL | AND | OR ) operand )* ;
operand    : ( MINUS | NOT )* primary ( DOT NAME | LBRACKET expr RBRACKET | arguments | body )* ;
primary    : NUMBER UNIT? | STRING | TRUE | FALSE | NAME | list | LPAREN expr RPAREN ;
list       : LBRACKET ( expr ( FOR NAME IN expr ( IF expr )? | ( COMMA expr )* ) )? RBRACKET ;
arguments  : LPAREN ( argument ( COMMA argument )* )? RPAREN ;
argument   : ARGUMENT_NAME ASSIGN expr | expr ;
