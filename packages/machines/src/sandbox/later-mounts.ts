/**
 * Keeps file systems out of a running sandbox that are mounted after its start. Where mounts are shared, as systemd
 * makes them, bubblewrap's own ones follow those of the machine: a USB stick or a container's volume would appear inside
 * with the rights of its owner, whatever is read-only there.
 */
import { readFileSync } from "node:fs";

import { findOwn } from "@tau/sys";
import { limits } from "./limits.ts";

export class LaterMounts {
	/** The mounts of the machine before bubblewrap copied them. */
	readonly #before = mountsOf("self");

	/**
	 * Makes the mounts of the sandbox that process `pid` is in private. False if others have appeared until then, which
	 * stay: the sandbox has to start again. Rejects if its mounts follow those of the machine afterwards, too.
	 */
	async keepOut(nsenter: string, pid: number): Promise<boolean> {
		// Copies of private mounts are private, and so are all mounts of an isolated tree.
		if (!follow(this.#before) || !follow(mountsOf(pid))) return true;
		const complaint = await makePrivate(nsenter, pid);
		if (follow(mountsOf(pid)))
			throw new Error(
				`The sandbox could not be started: file systems that are mounted later would be writable in it, because its mounts cannot be made private (${complaint})`,
			);
		return mountsOf("self") === this.#before;
	}
}

function mountsOf(process: number | "self"): string {
	return readFileSync(`/proc/${process}/mountinfo`, "latin1");
}

/** Whether mounts follow others: the kernel says so in fields between the options and a hyphen. */
function follow(mounts: string): boolean {
	return mounts.split("\n").some((mount) => /^(?:[^ ]+ ){6}(?:[^ -][^ ]* )*(?:shared|master):/.test(mount));
}

/**
 * By a program that enters: what bubblewrap itself starts has no right to mount, and where AppArmor restricts user
 * namespaces, it gets none. Resolves with the complaint, if there is one.
 */
async function makePrivate(nsenter: string, pid: number): Promise<string> {
	const mount = findOwn("mount");
	if (mount === undefined) return "mount is not installed";
	const entry = [nsenter, "--target", `${pid}`, "--user", "--mount", "--preserve-credentials", "--"];
	const child = Bun.spawn([...entry, mount, "--make-rprivate", "/"], {
		cwd: "/",
		stdio: ["ignore", "ignore", "pipe"],
		timeout: limits.startMs,
		env: {},
	});
	const [code, complaint] = await Promise.all([child.exited, child.stderr.text()]);
	return complaint.trim().split("\n")[0] || `mount exited with ${code}`;
}
