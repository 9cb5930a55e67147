# Starts a browser with a profile of its own and its protocol on standard input and output, and deletes the profile
# when the browser has ended: also after Tau was killed, because the browser ends with its input.
umask 077
profile=$(mktemp -d "${TMPDIR:-/tmp}/tau-browser-XXXXXX") || exit 1
program=$1
shift
contained=browser
if [ -n "$TAU_SANDBOXED" ]; then
	# No program can make namespaces inside of Tau's sandbox, and none needs to.
	set -- --no-sandbox "$@"
	contained=tau
	[ -n "$http_proxy" ] && set -- "--proxy-server=$http_proxy" "$@"
else
	set -- "--proxy-server=127.0.0.1:$TAU_BROWSER_PROXY" "--proxy-bypass-list=<-loopback>" "$@"
	# Chrome refuses to run as root with its own sandbox.
	if [ "$(id -u)" = 0 ]; then
		set -- --no-sandbox "$@"
		contained=none
	fi
fi
echo "tau-browser $contained $profile" >&2
exec 3<&0 4>&1 </dev/null >&2
"$program" "--user-data-dir=$profile" "$@"
status=$?
rm -rf -- "$profile"
exit $status
