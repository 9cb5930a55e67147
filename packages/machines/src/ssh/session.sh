# The program of a shell that runs commands. It is joined to one line. The output of a command goes through a pipe to
# `tee`, which sends it here and spools it there: if the connection is lost, the command goes on, and nothing is lost.
# A command may change PATH, options and functions: what is needed after it is looked up before.

exec 5>&1 >/dev/null 2>&1;
set -- "$(command -v tee)" "$(command -v cat)" "$(command -v sleep)" "$(command -v mkfifo)";
@INIT@
__tau_dir=@ROOM@ __tau_name=@NAME@ __tau_tee=$1 __tau_cat=$2 __tau_sleep=$3 __tau_mkfifo=$4;
__tau_pipe= __tau_count=0 __tau_round=0 __tau_tries=0 __tau_ready= __tau_read= __tau_pid= __tau_status=0 __tau_text= __tau_begin= __tau_word= __tau_back= __tau_at= __tau_env= __tau_end=stays;
set --;
echo $$ >>"$__tau_dir/shells";

# The state after a command: the last line says that it is complete.
__tau_dump=@DUMP@;
eval "$__tau_dump";

# Prepares the next command while nobody waits for it. The reader is no job of this shell, whose `wait`, `jobs` and `$!`
# belong to the user; it notes which command it has read, and the process of its `tee`. If what the last command has
# left behind holds the pipe, it prints on, and nobody sees it. The reader closes the pipe before it says so: opening it
# for the next command has to wait for the next reader. It is given up only for the next command: until then it may be
# sending, over a slow connection.
__tau_fresh='__tau_tries=0 __tau_ready=;
while true; do
if [ -z "$__tau_pipe" ]; then __tau_ready=1; break; fi;
__tau_read=; IFS=" " read -r __tau_read __tau_pid <"$__tau_pipe.end";
if [ "$__tau_read" = "$__tau_count" ]; then __tau_ready=1; break; fi;
__tau_tries=$((__tau_tries + 1));
if [ "$__tau_tries" -lt 30 ]; then (:); continue; fi;
if [ -z "$__tau_word" ]; then break; fi;
"$__tau_sleep" 0.02 || "$__tau_sleep" 1;
__tau_read=; IFS=" " read -r __tau_read __tau_pid <"$__tau_pipe.tee";
if [ "$__tau_tries" -gt 30 ] && [ "$__tau_read" = "$__tau_count" ]; then kill -KILL "$__tau_pid"; __tau_pipe=; fi;
if [ "$__tau_tries" -gt 60 ]; then __tau_pipe=; fi;
done;
if [ -n "$__tau_ready" ]; then
__tau_count=$((__tau_count + 1)); __tau_round=$((__tau_count % 2));
if [ -z "$__tau_pipe" ]; then __tau_pipe=$__tau_dir/$__tau_name.$__tau_count; "$__tau_mkfifo" -m 600 "$__tau_pipe"; fi;
( (ulimit -f @BLOCKS@; trap "" PIPE XFSZ HUP;
"$__tau_tee" "$__tau_dir/$__tau_name.$__tau_round.out" <&3 3<&- &
echo "$__tau_count $!" >|"$__tau_pipe.tee"; wait "$!" || "$__tau_cat" <&3 >/dev/null;
exec 3<&-; echo "$__tau_count" >|"$__tau_pipe.end") >&5 5>&- 3<"$__tau_pipe" &);
exec 4>"$__tau_pipe"; fi';

# The output of a command follows its first secret word.
__tau_start='printf "%s 0\n" "$__tau_begin" >&5; echo "$__tau_begin" >|"$__tau_dir/$__tau_name.run"';

# The last line of the output is the end of the command: the secret word, the status, whether the shell stays, and the
# directory. A shell that is killed in the middle of a command may find the pipe closed.
__tau_done='{ printf "%s %s %s %s\n" "$__tau_word" "$__tau_status" "$__tau_end" "$PWD" >&4; } 2>/dev/null; exec 4>&-; __tau_word=; set +eux;
if [ -n "$__tau_back" ]; then cd "$__tau_back"; __tau_back=; fi;
eval "$__tau_dump"';

# Runs a command, if one is given in a directory, with variables of its own: `eval` alone would not pass them to programs.
__tau_run='if [ -z "$__tau_ready" ]; then eval "$__tau_fresh"; fi; eval "$__tau_start"; if [ -n "$__tau_at" ]; then __tau_back=$PWD; fi;
{ [ -z "$__tau_at" ] || cd "$__tau_at" 2>&4; } && eval "$__tau_env command eval \"\$__tau_text\" </dev/null >&4 2>&1 4>&- 5>&-";
__tau_status=$? __tau_at= __tau_env=; eval "$__tau_done"; eval "$__tau_fresh"';

# A command that exits ends the shell: its end is reported, and the state that it has set is kept.
trap '__tau_status=$?; __tau_end=exits; if [ -n "$__tau_word" ]; then eval "$__tau_done"; fi' EXIT;
eval "$__tau_fresh";
