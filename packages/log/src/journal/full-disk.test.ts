/** A disk that is full: what fits is kept, what does not is said, and nothing is overwritten that cannot be brought back. */
import { expect } from "bun:test";
import { mkdirSync, readFileSync, statfsSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { TestProject } from "./testing/project.ts";

const KB = 1024;
const mounted = needs("root", "mount");

/** A small disk for the session, on which `free` bytes are left. */
function smallDisk(project: TestProject): Disposable {
	const directory = join(project.home, "session");
	mkdirSync(directory, { recursive: true });
	const { exitCode } = Bun.spawnSync(["mount", "-t", "tmpfs", "-o", `size=${600 * KB}`, "tmpfs", directory]);
	if (exitCode !== 0) throw new Error("mount failed");
	return { [Symbol.dispose]: () => void Bun.spawnSync(["umount", "-l", directory]) };
}

const noise = (bytes: number): Buffer => crypto.getRandomValues(Buffer.alloc(bytes));

mounted(
	"a small file that a command deleted comes back although a large one that it made is not kept",
	async () => {
		using project = new TestProject();
		using _disk = smallDisk(project);
		const small = noise(20 * KB);
		project.write({ "small.bin": small, "a.txt": "mine\n" });
		const message = await project.run(
			"rm small.bin; echo changed > a.txt; head -c 2000000 /dev/urandom > large.bin",
		);
		expect(project.notices).toContain("not-stored");
		const { bavail, bsize } = statfsSync(join(project.home, "session"));
		expect(bavail * bsize).toBeGreaterThan(400 * KB);
		const plan = await project.history.plan(project.history.momentBefore(message));
		expect(plan.files.map(({ shown, lost }) => [shown, lost])).toEqual([
			["a.txt", undefined],
			["large.bin", undefined],
			["small.bin", undefined],
		]);
		// The new file cannot be stored, so it is not deleted; the others are not held back by it.
		const { failed } = await project.history.restore(plan, () => false);
		expect(failed.map(({ path }) => path)).toEqual(["large.bin"]);
		expect(readFileSync(project.path("small.bin")).equals(small)).toBe(true);
		expect(readFileSync(project.path("a.txt"), "utf8")).toBe("mine\n");
		writeFileSync(project.path("a.txt"), "later\n");
		await project.run("true");
	},
);

mounted("a file whose content did not fit is said to be that, and not removed to save space", async () => {
	using project = new TestProject();
	using _disk = smallDisk(project);
	project.write({ "a.bin": noise(100 * KB) });
	await project.run("true");
	writeFileSync(join(project.home, "session", "filler"), noise(440 * KB));
	const message = await project.run("rm a.bin");
	expect(project.notices).toContain("not-stored");
	const plan = await project.history.plan(project.history.momentBefore(message));
	expect(plan.files.map(({ shown, lost }) => [shown, lost])).toEqual([["a.bin", "unwritten"]]);
});
