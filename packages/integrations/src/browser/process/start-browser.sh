# Starts a browser with its protocol on standard input and output: it ends with its input, also after Tau was killed.
program=$1
profile=$2
shift 2
contained=browser
if [ -n "$TAU_SANDBOXED" ]; then
	# No program can make namespaces inside of Tau's sandbox, and none needs to. Its temporary files end with it.
	set -- --no-sandbox "$@"
	contained=tau
	umask 077
	profile=$(mktemp -d "${TMPDIR:-/tmp}/browser-XXXXXX") || exit 1
	[ -n "$http_proxy" ] && set -- "--proxy-server=$http_proxy" --proxy-bypass-list=browser.invalid "$@"
else
	set -- "--proxy-server=127.0.0.1:$TAU_BROWSER_PROXY" "--proxy-bypass-list=<-loopback>;browser.invalid" "$@"
	# Chrome refuses to run as root with its own sandbox.
	if [ "$(id -u)" = 0 ]; then
		set -- --no-sandbox "$@"
		contained=none
	fi
fi
echo "tau-browser $contained $profile" >&2
exec "$program" "--user-data-dir=$profile" "$@" 3<&0 4>&1 </dev/null >&2
