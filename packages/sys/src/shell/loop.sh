# The program of a session's bash: it waits for an order on descriptor 3, runs it, and reports the result. The lines are
# joined to a single one, because bash counts the lines of a command from the line that the command is evaluated on.
# Commands may redefine other commands, so builtins are called as such; the conditions of the loops are reserved words,
# which cannot be redefined, so that a hostile command can end the shell but not make it loop endlessly.

if [[ -n @INIT@ ]]; then builtin source @INIT@; PWD=@CWD@; fi;
builtin shopt -s expand_aliases;
__tau_due= __tau_status=0 __tau_end= __tau_line= __tau_frame= __tau_text= __tau_keep= __tau_back= __tau_old=;

# A function for this would appear in the user's list of functions.
__tau_dump='{ builtin shopt -p; builtin declare -p; builtin declare -f; builtin declare -F; builtin alias -p;
builtin umask -p; } >|"$__tau_keep" 2>/dev/null';

# A command that exits ends the shell, but the state that it has set is kept. The directory is reported in a file, whose
# existence also means that the state is complete.
builtin trap '{ if [[ -n $__tau_due ]]; then builtin eval "$__tau_dump";
{ builtin pwd; builtin printf "\0%s\0" "$__tau_back"; } >|"$__tau_keep.end"; fi; } 2>/dev/null' EXIT;
builtin trap '' URG;
builtin printf 'ready\0' >&3;

# The outer loop is for a command that runs `break`.
while [[ -z $__tau_end ]]; do
while
  if [[ -n $__tau_due ]]; then
    command exec >/dev/null 2>&1;
    builtin trap '' URG;
    # These options of one command must not affect the next one.
    builtin set -hB +abefkmnuvxCEPT +o pipefail +o posix;
    __tau_text= __tau_frame=;
    { builtin printf 'ended\0%s\0' "$__tau_status"; builtin pwd; builtin printf '\0'; } >&3;
    if [[ -n $__tau_back ]]; then builtin cd -- "$__tau_back"; OLDPWD=$__tau_old; __tau_back=; fi;
    { builtin pwd; builtin printf '\0'; } >&3;
    builtin eval "$__tau_dump";
    __tau_due=;
    builtin printf 'kept\0' >&3;
  fi;
  __tau_line=;
  IFS= builtin read -r __tau_line <&3;
  [[ $__tau_line == run ]]
do
  { IFS= builtin read -r -d '' __tau_frame; IFS= builtin read -r -d '' __tau_text; } <@ORDER@;
  __tau_due=1 __tau_status=0;
  # Sent by an abort: the rest of the command is skipped. A function hides the loops around it, so the shell exits then.
  builtin trap 'if [[ -n ${FUNCNAME-} ]]; then builtin exit 143; fi; builtin continue 999' URG;
  builtin eval "$__tau_frame";
  # Hidden from a command that traces itself (set -x).
  { __tau_status=$?; builtin set +x; } 2>/dev/null;
done;
[[ -n $__tau_due ]] || __tau_end=1;
done;

# No more orders will come: the remaining processes of the group are ended too.
builtin trap '' TERM;
builtin kill -TERM -- -$$
