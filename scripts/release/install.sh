#!/bin/sh
# Installs Tau: downloads the executable for this machine, checks it against the release's checksums, and puts it into
# ~/.local/bin (TAU_INSTALL_DIR) without root. TAU_RELEASES_URL names another place to download from.
set -eu

url=${TAU_RELEASES_URL:-https://github.com/tau-agent/tau/releases/latest/download}
target=${TAU_INSTALL_DIR:-$HOME/.local/bin}

fail() {
	echo "install.sh: $1" >&2
	exit 1
}

case $(uname -s) in
Linux) os=linux ;;
Darwin) os=darwin ;;
*) fail "there is no executable for $(uname -s); on Windows download the archive from $url" ;;
esac
case $(uname -m) in
x86_64 | amd64) cpu=x64 ;;
arm64 | aarch64) cpu=arm64 ;;
*) fail "there is no executable for $(uname -m)" ;;
esac
platform=$os-$cpu
if [ "$os" = linux ] && (ldd --version 2>&1 || true) | grep -qi musl; then platform=$platform-musl; fi

download() {
	if command -v curl >/dev/null 2>&1; then
		curl -fsSL "$1" -o "$2"
	elif command -v wget >/dev/null 2>&1; then
		wget -q "$1" -O "$2"
	else
		fail "curl or wget is needed"
	fi || fail "cannot download $1"
}

checksum() {
	if command -v sha256sum >/dev/null 2>&1; then
		sha256sum "$1"
	else
		shasum -a 256 "$1"
	fi | cut -d ' ' -f 1
}

draft=$(mktemp -d)
trap 'rm -rf "$draft"' EXIT
trap 'exit 130' INT TERM HUP
download "$url/SHA256SUMS" "$draft/SHA256SUMS"
line=$(grep -e "-$platform\.tar\.gz\$" "$draft/SHA256SUMS") || fail "the release has no executable for $platform"
file=${line##* }
download "$url/$file" "$draft/tau.tar.gz"
[ "$(checksum "$draft/tau.tar.gz")" = "${line%% *}" ] || fail "the checksum of $file is wrong; nothing was installed"
tar xzf "$draft/tau.tar.gz" -C "$draft"
if ! version=$("$draft/tau" --version 2>"$draft/errors"); then
	head -n 3 "$draft/errors" >&2
	# Bun needs the C++ library, which a plain Alpine does not have.
	case $(cat "$draft/errors") in
	*libstdc++* | *libgcc_s*) fail "the executable needs libstdc++ and libgcc (on Alpine: apk add libstdc++ libgcc); nothing was installed" ;;
	*) fail "the executable does not run on this machine; nothing was installed" ;;
	esac
fi
mkdir -p "$target"
# Moved within one file system: a Tau that runs keeps its file.
cp "$draft/tau" "$target/.tau.new"
chmod 755 "$target/.tau.new"
mv "$target/.tau.new" "$target/tau"
# man(1) looks beside the directories of PATH: ~/.local/bin has its pages in ~/.local/share/man.
pages=${target%/bin}/share/man/man1
case $target in
*/bin) mkdir -p "$pages" 2>/dev/null && cp "$draft/tau.1" "$pages/tau.1" 2>/dev/null || true ;;
esac
echo "Installed Tau $version as $target/tau."
case ":$PATH:" in
*":$target:"*) ;;
*) echo "Add $target to your PATH to start it as tau." ;;
esac
