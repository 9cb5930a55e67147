# Carries the messages of an adapter that listens on a port over this program's input and output, inside the same
# sandbox: `--connect host port`, or a command that starts it and prints its port.
set -u
host=127.0.0.1 port= adapter= printing=
if [ "$1" = --connect ]; then
	host=$2 port=$3
else
	exec 4< <(exec "$@" < /dev/null)
	adapter=$!
	while [ -z "$port" ] && IFS= read -r line <&4; do
		if [[ $line =~ (127\.0\.0\.1|localhost|\[?::1?\]?|0\.0\.0\.0):([0-9]+) ]]; then port=${BASH_REMATCH[2]}; else printf '%s\n' "$line" >&2; fi
	done
	[ -n "$port" ] || exit 1
	# For further connections.
	printf 'tau-bridge %s %s\n' "$host" "$port" >&2
	cat <&4 >&2 &
	printing=$!
fi
exec 3<> "/dev/tcp/$host/$port" || exit 1
cat <&3 &
answers=$!
{
	cat <&0 >&3
	if [ -n "$adapter" ]; then kill "$adapter" 2> /dev/null; else kill "$answers" 2> /dev/null; fi
} <&0 &
wait "$answers"
# What the program printed last. A process that it has left behind may keep the pipe open.
if [ -n "$printing" ]; then
	{ sleep 2; kill "$printing"; } > /dev/null 2>&1 &
	wait "$printing" 2> /dev/null
fi
