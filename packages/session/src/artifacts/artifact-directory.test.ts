/** Artifacts keep their numbers: across restarts, beside other processes, and when their directory is deleted. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmdirSync,
	rmSync,
	statSync,
	symlinkSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

import { ArtifactDirectory } from "./artifact-directory.ts";
import { TemporaryDirectory } from "./temporary-directory.ts";

let home: string;
let directory: string;
beforeEach(() => {
	home = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "tau-artifacts-"));
	directory = join(home, "session");
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function store(): ArtifactDirectory {
	return new ArtifactDirectory(() => directory);
}

/** Opens one, writes to it, closes it, and returns its number. */
function keep(artifacts: ArtifactDirectory, tool = "bash", text = "output"): string {
	using artifact = artifacts.open(tool);
	artifact.write(Buffer.from(text));
	return artifact.id;
}

describe("an artifact", () => {
	test("is a private file with the next number and its tool, in a directory that is created for it", () => {
		const artifacts = store();
		expect(existsSync(directory)).toBe(false);
		expect([keep(artifacts), keep(artifacts, "python"), keep(artifacts)]).toEqual(["0", "1", "2"]);
		expect(readdirSync(directory).toSorted()).toEqual(["0.bash.log", "1.python.log", "2.bash.log"]);
		expect(statSync(directory).mode & 0o777).toBe(0o700);
		expect(statSync(join(directory, "0.bash.log")).mode & 0o777).toBe(0o600);
	});

	test("of a resumed session gets the next free number", () => {
		mkdirSync(directory);
		for (const name of ["2.bash.log", "10.python.log", "99.md", "700.log", "x.bash.log", "Anna.md"]) {
			writeFileSync(join(directory, name), name);
		}
		expect(keep(store())).toBe("11");
		expect(readFileSync(join(directory, "2.bash.log"), "utf8")).toBe("2.bash.log");
	});

	test("is found by its number alone, whatever tool wrote it", () => {
		const artifacts = store();
		keep(artifacts);
		keep(store(), "ssh", "from elsewhere");
		const match = artifacts.find("1") ?? "";
		expect(readFileSync(match, "utf8")).toBe("from elsewhere");
		expect(["2", "../0", "0.bash", "", "-1"].map((id) => artifacts.find(id))).toEqual(
			Array(5).fill(undefined),
		);
	});

	test.each(["mcp/../../x", "a b.log", "", "x".repeat(500), "\u001b[2J"])(
		"of a tool called %j stays in its directory",
		(tool) => {
			const artifacts = store();
			using artifact = artifacts.open(tool);
			expect(readdirSync(directory)).toEqual([basename(artifact.path)]);
			expect(artifacts.find("0")).toBe(artifact.path);
		},
	);

	test("does not reuse the number of one whose directory was deleted", () => {
		const artifacts = store();
		keep(artifacts);
		keep(artifacts);
		rmSync(directory, { recursive: true });
		expect(artifacts.find("1")).toBeUndefined();
		expect(keep(artifacts)).toBe("2");
	});

	test("is written where the session moved", () => {
		const artifacts = store();
		keep(artifacts);
		directory = join(home, "elsewhere");
		expect(keep(artifacts)).toBe("0");
		expect(readdirSync(directory)).toEqual(["0.bash.log"]);
	});

	test("that cannot be created is an error with its path, and bytes lost while writing are counted", () => {
		const artifacts = store();
		using artifact = artifacts.open("bash");
		artifact.write(Buffer.from("kept"));
		artifact[Symbol.dispose]();
		artifact.write(Buffer.from("lost"));
		expect(artifact.lost).toBe(4);
		directory = join(home, "file");
		writeFileSync(directory, "in the way");
		expect(() => artifacts.open("bash")).toThrow(directory);
		expect(artifacts.find("0")).toBeUndefined();
	});

	test("is numbered among very many", () => {
		mkdirSync(directory);
		// Links are quicker to create than files.
		for (let id = 0; id < 20_000; id++) symlinkSync("x", join(directory, `${id}.bash.log`));
		expect(keep(store())).toBe("20000");
	});
});

test("four processes at once never assign a number twice", async () => {
	const program = `
		import { ArtifactDirectory } from ${JSON.stringify(join(import.meta.dir, "artifact-directory.ts"))};
		const artifacts = new ArtifactDirectory(() => process.argv[1]);
		await Bun.stdin.text();
		for (let count = 0; count < 50; count++) artifacts.open(process.argv[2])[Symbol.dispose]();
	`;
	const children = ["bash", "python", "ssh", "bash"].map((tool) =>
		Bun.spawn([process.execPath, "-e", program, directory, tool], { stdin: "pipe", stderr: "inherit" }),
	);
	for (const child of children) await child.stdin.end();
	expect(await Promise.all(children.map((child) => child.exited))).toEqual([0, 0, 0, 0]);
	const ids = readdirSync(directory).map((name) => name.split(".")[0]);
	expect(ids).toHaveLength(200);
	expect(new Set(ids).size).toBe(200);
});

describe("the directory of a session without a file", () => {
	test("is private, has a name of its own, and is deleted at the end", () => {
		const paths: string[] = [];
		{
			using one = new TemporaryDirectory(home);
			using two = new TemporaryDirectory(home);
			expect(readdirSync(home)).toEqual([]);
			paths.push(one.path, two.path);
			expect(one.path).toBe(paths[0] ?? "");
			writeFileSync(join(one.path, "0.bash.log"), "output");
			expect(statSync(one.path).mode & 0o777).toBe(0o700);
		}
		expect(new Set(paths).size).toBe(2);
		expect(readdirSync(home)).toEqual([]);
	});

	test("is created anew if it was replaced", () => {
		using temporary = new TemporaryDirectory(home);
		const before = temporary.path;
		rmdirSync(before);
		symlinkSync("nowhere", before);
		expect(temporary.path).not.toBe(before);
	});

	test("does not outlive a process that exits without cleanup", async () => {
		const program = `
			import { TemporaryDirectory } from ${JSON.stringify(join(import.meta.dir, "temporary-directory.ts"))};
			const temporary = new TemporaryDirectory(process.argv[1]);
			process.stdout.write(temporary.path);
			process.exit(0);
		`;
		const child = Bun.spawn([process.execPath, "-e", program, home], { stdout: "pipe" });
		expect(await child.stdout.text()).toContain(join(home, "tau-"));
		await child.exited;
		expect(readdirSync(home)).toEqual([]);
	});
});
