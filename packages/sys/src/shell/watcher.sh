# Ends what a Tau that was killed has left behind. Standard input is a pipe that only Tau holds: it ends with Tau,
# whatever ended it. Arguments: the mark of all processes that it started, the tag in the names of its temporary
# directories, and where those may be.
trap '' HUP INT QUIT TERM PIPE
mark=$1 tag=$2
shift 2

# Where processes have no mark that others can read, their groups are listed: `+ 123`, and `- 123` for an empty one.
groups=' '
while read -r sign group; do
	case $sign in
	+) groups="$groups$group " ;;
	-) case $groups in *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;; esac ;;
	esac
done

# Prints the groups whose leaders bear the mark, and the marked processes that are in none of these groups.
targets() {
	files=$(grep -lszF -e "$mark" /proc/[0-9]*/environ)
	seen=' '
	for file in $files; do
		pid=${file#/proc/} pid=${pid%/environ} group=
		# The fields after the name, which is in parentheses and may contain anything: state, parent, group.
		read -r stat <"/proc/$pid/stat" && rest=${stat##*) } && rest=${rest#* * } && group=${rest%% *}
		target=$pid
		case " $files " in *"/proc/$group/environ"*) target=-$group ;; esac
		case $seen in *" $target "*) continue ;; esac
		seen="$seen$target "
		echo "$target"
	done
}

for group in $groups; do kill -TERM "-$group"; done
found=$(targets)
for target in $found; do kill -TERM "$target"; done
if [ -n "$found" ] || [ "$groups" != ' ' ]; then sleep 0.2; fi
for group in $groups; do kill -KILL "-$group"; done
# Repeated, because a process may start another one between the look and the signal.
rounds=20
while [ "$rounds" -gt 0 ] && found=$(targets) && [ -n "$found" ]; do
	for target in $found; do kill -KILL "$target"; done
	rounds=$((rounds - 1))
done

for parent in "$@"; do
	for directory in "$parent"/tau-*-"$tag"-??????; do
		if [ -d "$directory" ] && [ ! -L "$directory" ]; then rm -rf -- "$directory"; fi
	done
done
