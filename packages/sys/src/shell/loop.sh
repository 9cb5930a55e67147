# What the bash of a session does: it waits for an order on descriptor 3, obeys, and tells how that ended. The lines are
# joined to a single one, because bash counts the lines of a command from the line that the command is evaluated on.
# Whatever a command has redefined is called as a builtin here; conditions of the loops are reserved words, which nobody
# can redefine, so that the worst of commands ends the shell and does not make it run in circles.

if [[ -n @INIT@ ]]; then builtin source @INIT@; PWD=@CWD@; fi;
builtin shopt -s expand_aliases;
__tau_due= __tau_status=0 __tau_end= __tau_line= __tau_frame= __tau_text= __tau_keep= __tau_back= __tau_old=;

# A function for this would show in the lists of the user.
__tau_dump='{ builtin shopt -p; builtin declare -p; builtin declare -f; builtin declare -F; builtin alias -p;
builtin umask -p; } >|"$__tau_keep" 2>/dev/null';

# A command that exits takes the shell along, but not what it has set before. The directory is told by a file, which
# also says that the state is whole.
builtin trap '{ if [[ -n $__tau_due ]]; then builtin eval "$__tau_dump";
{ builtin pwd; builtin printf "\0%s\0" "$__tau_back"; } >|"$__tau_keep.end"; fi; } 2>/dev/null' EXIT;
builtin trap '' URG;
builtin printf 'ready\0' >&3;

# The outer loop is for a command that says `break`.
while [[ -z $__tau_end ]]; do
while
  if [[ -n $__tau_due ]]; then
    command exec >/dev/null 2>&1;
    builtin trap '' URG;
    # What a command has set of these would surprise the next one.
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
  # Sent by an abort: the rest of the command is skipped. A function hides the loops around it, so the shell has to go.
  builtin trap 'if [[ -n ${FUNCNAME-} ]]; then builtin exit 143; fi; builtin continue 999' URG;
  builtin eval "$__tau_frame";
  # Not to be seen by whoever traces his command.
  { __tau_status=$?; builtin set +x; } 2>/dev/null;
done;
[[ -n $__tau_due ]] || __tau_end=1;
done;

# Nobody gives orders any more: what is left of the group goes along.
builtin trap '' TERM;
builtin kill -TERM -- -$$
