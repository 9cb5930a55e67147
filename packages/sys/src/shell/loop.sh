# The program of a session's bash: it waits for an order on descriptor 3, runs it, and reports the result. The lines are
# joined to a single one, because bash counts the lines of a command from the line that the command is evaluated on.
# Commands may redefine and disable other commands, so builtins are called as such; the loops are finite and end by
# reserved words and assignments, so that a hostile command can end the shell but not make it loop endlessly. After
# `set -n` nothing is executed any more: the loops run out, the shell exits, and the session starts a new one.

if [[ -n @PROCESSES@ ]]; then builtin ulimit -u @PROCESSES@ 2>/dev/null; fi;
if [[ -n @INIT@ ]]; then builtin source @INIT@; PWD=@CWD@; fi;
# A function of this name would run instead of every later command.
builtin unset -f command;
# `cd docs` would go to what a variable of that name contains, and `**` and `A*` match more than was judged.
builtin shopt -u cdable_vars globstar nocaseglob nullglob;
builtin shopt -s expand_aliases;
__tau_due= __tau_status=0 __tau_end= __tau_over= __tau_line= __tau_frame= __tau_text= __tau_keep= __tau_back= __tau_old= __tau_jobs=;

# A function for this would appear in the user's list of functions.
__tau_dump='{ builtin shopt -p; builtin declare -p; builtin declare -f; builtin declare -F; builtin alias -p;
builtin umask -p; } >|"$__tau_keep" 2>/dev/null';

# A command that exits ends the shell, but the state that it has set is kept. The directory is reported in a file, whose
# existence also means that the state is complete.
builtin trap '{ builtin trap - DEBUG ERR; builtin trap "" URG; if [[ -n $__tau_due ]]; then builtin eval "$__tau_dump";
{ builtin pwd; builtin printf "\0%s\0" "$__tau_back"; } >|"$__tau_keep.end"; fi; } >/dev/null 2>&1' EXIT;
builtin trap '' URG;
builtin printf 'ready\0' >&3;

# The outer loop is for a command that runs `break`, and for an abort.
for __tau_outer in {1..100}; do
for __tau_inner in {1..100}; do
if [[ -z $__tau_over ]]; then
  if [[ -n $__tau_due && -z $__tau_end ]]; then
    command exec >/dev/null 2>&1;
    builtin trap '' URG;
    # These options of one command must not affect the next one.
    builtin set -hB +abefkmnuvxCEPT +o pipefail +o posix; builtin shopt -u globstar nocaseglob nullglob;
    # An assignment to a readonly variable ends the shell; the next one starts without that attribute (session.ts).
    __tau_text= __tau_frame= __tau_jobs= __tau_line= __tau_keep=$__tau_keep __tau_back=$__tau_back __tau_old=$__tau_old;
    # The next command is judged in the directory of this name: that is where the shell must be, although its own one was
    # moved. Where there is none any more, it follows what was moved, or goes to the parent of what was deleted.
    if [[ ! . -ef $PWD ]]; then
      builtin cd -P . 2>/dev/null;
      __tau_frame=$PWD;
      for __tau_line in {1..100}; do
        if [[ ! . -ef $PWD ]]; then builtin cd -- "${__tau_frame:-/}" 2>/dev/null; __tau_frame=${__tau_frame%/*}; fi;
      done;
      __tau_frame= __tau_line=;
    fi;
    # Without a report nobody would send another order. Each builtin is a write, and wakes Tau: where the command ended is
    # where the next one starts, unless it was sent elsewhere.
    { builtin printf 'ended\0%s\0' "$__tau_status"; builtin pwd; if [[ -n $__tau_back ]]; then builtin printf '\0';
    builtin cd -- "$__tau_back"; OLDPWD=$__tau_old; __tau_back=; builtin pwd; builtin printf '\0';
    else builtin printf '\0\0'; fi; } >&3 || __tau_end=1;
    builtin eval "$__tau_dump";
    if [[ -z $__tau_end ]]; then __tau_due=; fi;
    builtin printf 'kept\0' >&3;
  fi;
  __tau_line=;
  if [[ -z $__tau_end ]]; then IFS= builtin read -r __tau_line <&3; fi;
  if [[ $__tau_line == run ]]; then
    __tau_frame= __tau_text=;
    # A command may have taken the file of the orders away: nothing has run then, and another shell must run it.
    { IFS= builtin read -r -d '' __tau_frame && IFS= builtin read -r -d '' __tau_text; } <@ORDER@ || { builtin printf 'lost\0' >&3; builtin exit 1; };
    __tau_due=1 __tau_status=0 __tau_jobs=;
    # Earlier commands have left jobs: a `wait` of this one must not wait for them (wait.sh).
    if [[ -n ${!-} ]]; then
      __tau_jobs=$(builtin jobs -p);
      if [[ -n $__tau_jobs ]]; then
        __tau_jobs=" ${__tau_jobs//[!0-9]/ } ";
        builtin declare -F wait >/dev/null || builtin eval @WAIT@;
      fi;
    fi;
    # Sent by an abort: the rest of the command is skipped. A function hides the loops around it, so the shell exits then.
    builtin trap 'if [[ -n ${FUNCNAME-} ]]; then builtin exit 143; fi; builtin continue 999' URG;
    builtin eval "$__tau_frame";
    # Hidden from a command that traces itself (set -x, a DEBUG trap).
    { __tau_status=$?; __tau_due=1; builtin set +x; builtin unset -f command; builtin trap - DEBUG ERR RETURN; builtin enable alias break builtin cd command continue declare enable eval exec exit jobs kill local printf pwd read return set shopt source trap umask wait; } >/dev/null 2>&1;
  else
    __tau_end=1;
    # Where a command has disabled it, the loops run out instead, without calling anything.
    builtin break 2;
    __tau_over=1;
  fi;
fi;
done;
done;

# No more orders will come: the remaining processes of the group are ended too.
if [[ -n $__tau_end && -z $__tau_due ]]; then
builtin trap '' TERM;
builtin kill -TERM -- -$$;
fi
