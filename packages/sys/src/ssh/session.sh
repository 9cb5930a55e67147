# The program of a shell that runs commands. It is joined to one line. The output of a command goes through a pipe to
# `tee`, which sends it here and spools it there: if the connection is lost, the command goes on, and nothing is lost.

exec 5>&1 >/dev/null 2>&1;
@INIT@
__tau_dir=@ROOM@ __tau_name=@NAME@ __tau_tee= __tau_pipe= __tau_made=0 __tau_status=0 __tau_text= __tau_id= __tau_word= __tau_back= __tau_end=stays;
echo $$ >>"$__tau_dir/shells";

# The state after a command: the last line says that it is complete.
__tau_dump=@DUMP@;
__tau_keep=$__tau_dir/$__tau_name.state0;
eval "$__tau_dump";

# What the last command has left behind may hold the pipe: then it prints on, but nobody reads it. The output of the new
# command follows its first secret word.
__tau_fresh='jobs;
if [ -n "$__tau_tee" ] && kill -0 "$__tau_tee" && { sleep 0.02 || sleep 1; jobs; kill -0 "$__tau_tee"; }; then
cat <"$__tau_pipe" & kill "$__tau_tee"; wait "$__tau_tee"; __tau_pipe=; fi;
printf "%s 0\n" "$__tau_begin" >&5;
if [ -z "$__tau_pipe" ]; then
__tau_made=$((__tau_made + 1)); __tau_pipe=$__tau_dir/$__tau_name.$__tau_made; mkfifo -m 600 "$__tau_pipe"; fi;
(ulimit -f @BLOCKS@; trap "" PIPE XFSZ HUP; exec tee "$__tau_dir/$__tau_id.out" <"$__tau_pipe" >&5 5>&-) & __tau_tee=$!;
exec 4>"$__tau_pipe"; echo "$__tau_begin" >"$__tau_dir/$__tau_name.run"';

# The last line of the output is the end of the command: the secret word, the status, whether the shell stays, and the directory.
__tau_done='printf "%s %s %s %s\n" "$__tau_word" "$__tau_status" "$__tau_end" "$PWD" >&4; exec 4>&-; __tau_word=; set +eux;
if [ -n "$__tau_back" ]; then cd "$__tau_back"; __tau_back=; fi;
eval "$__tau_dump"';

# A command that exits ends the shell: its end is reported, and the state that it has set is kept.
trap '__tau_status=$?; __tau_end=exits; if [ -n "$__tau_word" ]; then eval "$__tau_done"; fi' EXIT;
