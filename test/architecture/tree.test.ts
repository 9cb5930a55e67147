/** The checks look at the files of the project and at nothing else. */
import { describe, expect, test } from "bun:test";
import { symlink, unlink } from "node:fs/promises";
import { join } from "node:path";
import { needs } from "../support/needs.ts";
import { writeFixture } from "./fixture.ts";
import { run } from "./process.ts";
import { listFiles } from "./tree.ts";

describe("the files of a tree", () => {
	test("without git, installed and built files are left out", async () => {
		await using tree = await writeFixture({
			"a.ts": "",
			"src/.b": "",
			"node_modules/c.ts": "",
			"x/dist/d.js": "",
		});
		expect(await listFiles(tree.root)).toEqual(["a.ts", "src/.b"]);
	});

	needs("git")("with git, new files count and ignored, deleted or linked ones do not", async () => {
		await using tree = await writeFixture({
			".gitignore": "*.log\n",
			"a.ts": "",
			"gone.ts": "",
			"b c.ts": "",
			"x.log": "",
		});
		await run(["git", "init", "-q"], tree.root);
		await run(["git", "add", "a.ts", "gone.ts"], tree.root);
		await unlink(join(tree.root, "gone.ts"));
		await symlink("/etc/hostname", join(tree.root, "link.ts"));
		expect(await listFiles(tree.root)).toEqual([".gitignore", "a.ts", "b c.ts"]);
	});

	test("a missing program is a result, not a crash", async () => {
		const ran = await run(["tau-no-such-program"], "/");
		expect(ran).toEqual({ code: 127, stdout: "", stderr: "tau-no-such-program: not found" });
	});
});
