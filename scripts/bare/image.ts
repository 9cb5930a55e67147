/** A minimal Debian with Node and npm, and nothing else: made once with debootstrap, and kept. */
import { existsSync } from "node:fs";
import {
	copyFile,
	cp,
	mkdir,
	mkdtemp,
	readFile,
	realpath,
	rename,
	rm,
	symlink,
	writeFile,
} from "node:fs/promises";
import { dirname, join } from "node:path";

const suite = "bookworm";
const mirror = "http://deb.debian.org/debian";
const authorities = "/etc/ssl/certs/ca-certificates.crt";
/** The ordinary user of the image. */
export const ordinaryUser = "ann";

/** The directory of the image. */
export async function bareImage(cache: string): Promise<string> {
	const image = join(cache, "image");
	if (existsSync(image)) return image;
	const problem = missing();
	if (problem) throw new Error(problem);
	process.stderr.write(`tau: making a minimal Debian in ${image} (once) …\n`);
	await mkdir(cache, { recursive: true });
	const draft = await mkdtemp(join(cache, "draft-"));
	const root = join(draft, "root");
	try {
		await run(["debootstrap", "--variant=minbase", suite, root, mirror]);
		await addNode(root);
		await addUser(root);
		// Whole or not at all.
		await rename(root, image);
	} finally {
		await rm(draft, { recursive: true, force: true });
	}
	return image;
}

function missing(): string | undefined {
	if (process.getuid?.() !== 0) return "npm run bare makes a root of its own: run it as root";
	const programs = ["debootstrap", "git", "unshare", "pivot_root"].filter((name) => Bun.which(name) === null);
	return programs.length > 0
		? `missing: ${programs.join(", ")} (Debian: debootstrap git util-linux)`
		: undefined;
}

/** Debian's own Node may be older than Tau needs: the one of this machine, with its npm. */
async function addNode(root: string): Promise<void> {
	const [node, npm] = [Bun.which("node"), Bun.which("npm")];
	if (node === null || npm === null) throw new Error("node and npm are missing on this machine");
	const local = join(root, "usr/local");
	await copyFile(await realpath(node), join(local, "bin/node"));
	const npmFolder = dirname(dirname(await realpath(npm)));
	await cp(npmFolder, join(local, "lib/node_modules/npm"), { recursive: true });
	for (const name of ["npm", "npx"])
		await symlink(`../lib/node_modules/npm/bin/${name}-cli.js`, join(local, "bin", name));
	// The registry may only be reachable through a proxy whose certificate this machine knows.
	const known = existsSync(authorities) ? await readFile(authorities) : "";
	await writeFile(join(root, "etc/tau-bare-ca.crt"), known);
}

/** With a home that nobody else may enter, as Debian makes them. */
async function addUser(root: string): Promise<void> {
	await run(["chroot", root, "useradd", "--create-home", "--shell", "/bin/bash", ordinaryUser]);
	await run(["chroot", root, "chmod", "700", `/home/${ordinaryUser}`]);
}

async function run(command: string[]): Promise<void> {
	const child = Bun.spawn(command, { stdin: "ignore", stdout: "ignore", stderr: "inherit" });
	if ((await child.exited) !== 0) throw new Error(`${command.join(" ")} failed`);
}
