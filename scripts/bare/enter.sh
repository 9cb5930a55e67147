#!/bin/sh
# Clones the repository into a root of its own and runs a command there. In a mount namespace of its own, so that no mount is left.
# enter.sh IMAGE CELL REPOSITORY DIRECTORY USER COMMAND…
set -eu
image=$1 cell=$2 repository=$3 directory=$4 user=$5
shift 5
root=$cell/root

mount -t overlay overlay -o "lowerdir=$image,upperdir=$cell/upper,workdir=$cell/work" "$root"
mount -t proc proc "$root/proc"
# As in a container: /sys cannot be written.
mount -t sysfs -o ro sysfs "$root/sys"
mount -t tmpfs -o mode=755 tmpfs "$root/dev"
for name in null zero full random urandom tty; do
	: >"$root/dev/$name"
	mount --bind "/dev/$name" "$root/dev/$name"
done
mkdir "$root/dev/pts" "$root/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=0620 devpts "$root/dev/pts"
mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
ln -s pts/ptmx "$root/dev/ptmx"
ln -s /proc/self/fd "$root/dev/fd"
ln -s /proc/self/fd/0 "$root/dev/stdin"
ln -s /proc/self/fd/1 "$root/dev/stdout"
ln -s /proc/self/fd/2 "$root/dev/stderr"
cp /etc/resolv.conf "$root/etc/resolv.conf"
printf '127.0.0.1 localhost\n::1 localhost\n' >"$root/etc/hosts"

git clone --quiet --depth 1 "file://$repository" "$root$directory"
if [ "$user" = root ]; then home=/root; else home=/home/$user; fi
chroot "$root" chown -R "$user:" "$directory"

# A chroot may not make user namespaces, and bubblewrap needs them: the directory becomes the root.
mkdir -p "$root/.host"
cd "$root"
pivot_root . .host
cd /
umount -l /.host
rmdir /.host
cd "$directory"
exec env -i PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin HOME="$home" USER="$user" LANG=C.UTF-8 \
	TERM=dumb NODE_EXTRA_CA_CERTS=/etc/tau-bare-ca.crt npm_config_cafile=/etc/tau-bare-ca.crt \
	setpriv --reuid "$user" --regid "$user" --init-groups "$@"
