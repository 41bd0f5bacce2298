# Every kernel and collective with what it costs, for scripts.
sysdlc graph ../eval/bigram.sysdl --format json
