/** Commands and file tools have one view of the temporary files: the session's own, those of the host, and the project's. */
import { expect, test } from "bun:test";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";

import { needs } from "../../../../test/support/needs.ts";
import { localMachine, type MachineFiles } from "@tau/sys";
import { withSandbox } from "./machine.ts";
import { isOfSandbox } from "./private-directory.ts";
import {
	neededForLandlock,
	neededPrograms,
	sandboxFixture,
	type SandboxFixture,
} from "./testing/sandbox-fixture.ts";

const sandboxed = needs(...neededPrograms);
const confined = needs(...neededForLandlock);
const { signal } = new AbortController();

const filesOf = (box: SandboxFixture): MachineFiles =>
	withSandbox(localMachine(), () => box.sandbox, box.cwd).files;

async function write(files: MachineFiles, path: string, text: string): Promise<string> {
	const before = await files.readText(path, path);
	if (!before.ok) return before.reason;
	const done = await files.commit([{ before, after: { text, hasBom: false } }], { signal });
	return done.ok ? "written" : done.reason;
}

async function read(files: MachineFiles, path: string): Promise<string> {
	return Buffer.from(await files.read(path, { signal, maxBytes: 1000 })).toString();
}

for (const below of ["/tmp", "/var/tmp"])
	sandboxed(
		`a project below ${below} is there in plan mode, read-only, with what lies beside it`,
		async () => {
			await using box = await sandboxFixture({
				below,
				isReadOnly: true,
				files: { "project/a.txt": "mine\n", "sibling/b.txt": "beside\n" },
			});
			const ran = await box.run("pwd; cat a.txt ../sibling/b.txt; echo x > new; echo x > ../new; ls");
			expect(ran.text).toMatch(
				new RegExp(`^${box.cwd}\nmine\nbeside\n.*new: Read-only.*\n.*new: Read-only.*\na.txt\n$`),
			);
		},
	);

sandboxed(
	"what lies beside a project in a temporary directory is the host's for commands and tools alike",
	async () => {
		await using box = await sandboxFixture({ below: "/tmp", files: { "sibling/b.txt": "beside\n" } });
		const files = filesOf(box);
		const ran = await box.run(
			"cat ../sibling/b.txt; echo in > in.txt; echo x > ../sibling/b.txt; echo x > ../new",
		);
		expect(ran.text).toMatch(/^beside\n.*b\.txt: Read-only.*\n.*new: Read-only/);
		expect(await read(files, join(box.root, "sibling/b.txt"))).toBe("beside\n");
		expect(await write(files, join(box.root, "outside.txt"), "x")).toBe("written");
		expect(existsSync(join(box.root, "outside.txt"))).toBe(true);
		expect((await box.run("cat ../outside.txt")).text).toBe("x");
	},
);

sandboxed("what the host has below /tmp stays its own, and a new file is where the tool says", async () => {
	const host = mkdtempSync("/tmp/tau-host-");
	try {
		writeFileSync(join(host, "g"), "of the host");
		await using box = await sandboxFixture();
		const files = filesOf(box);
		expect(await read(files, join(host, "g"))).toBe("of the host");
		const fresh = `/tmp/${basename(host)}-new/file`;
		expect(await write(files, fresh, "by a tool")).toBe("written");
		expect((await box.run(`cat ${fresh}; cat ${host}/g`)).text).toMatch(/^by a tool.*No such file/);
		expect(existsSync(fresh)).toBe(false);
		// Programs of Tau itself are shown where they are, and a clone may lie below /tmp.
		const listed = (await files.list("/tmp")).filter(
			({ name }) => !import.meta.dir.startsWith(`/tmp/${name}/`),
		);
		expect(listed.map(({ name }) => name)).toEqual([basename(dirname(fresh))]);
		expect(await files.realpath(fresh)).toBe(fresh);
		// A directory of the same name that a command makes is what both see from then on.
		await box.run(`mkdir ${host} && echo inside > ${host}/own`);
		expect(await files.stat(join(host, "g"))).toBeUndefined();
		expect(await read(files, join(host, "own"))).toBe("inside\n");
		expect(readdirSync(host)).toEqual(["g"]);
	} finally {
		rmSync(host, { recursive: true, force: true });
	}
});

sandboxed("a link of the project to /tmp leads tools where it leads commands", async () => {
	await using box = await sandboxFixture();
	const files = filesOf(box);
	const name = `/tmp/${basename(box.root)}-linked`;
	symlinkSync(name, join(box.cwd, "ht"));
	expect(await write(files, join(box.cwd, "ht/w"), "through the link")).toBe("written");
	expect((await box.run("cat ht/w")).text).toBe("through the link");
	expect(existsSync(name)).toBe(false);
	const found: string[] = [];
	const options = { pattern: "through", paths: [name], cwd: box.cwd, signal };
	await files.search(options, (event) => void found.push(event.path));
	expect(new Set(found)).toEqual(new Set([`${name}/w`]));
});

for (const [kind, testOf, landlock] of [
	["bubblewrap", sandboxed, false],
	["Landlock", confined, true],
] as const)
	testOf(`no tool reaches the directory of the sandbox itself (${kind})`, async () => {
		await using box = await sandboxFixture({ landlock });
		const files = filesOf(box);
		await box.run("echo kept > $TMPDIR/file");
		const own = dirname(box.sandbox.room.path);
		expect(isOfSandbox(own)).toBe(true);
		symlinkSync(own, join(box.cwd, "link"));
		for (const path of [own, join(own, "states/x"), join(box.cwd, "link"), join(box.cwd, "link/states/x")]) {
			await expect(files.list(path)).rejects.toThrow("belongs to the sandbox");
			expect(await write(files, path, "x")).toContain("belongs to the sandbox");
		}
		const temporary = landlock ? (await box.run("printf %s $TMPDIR")).text : "/tmp";
		expect(await read(files, join(temporary, "file"))).toBe("kept\n");
	});

for (const [kind, testOf, landlock] of [
	["bubblewrap", sandboxed, false],
	["Landlock", confined, true],
] as const)
	testOf(`programs of Tau run inside if Tau is installed below /tmp (${kind})`, async () => {
		const installed = mkdtempSync("/tmp/tau-installed-");
		try {
			const program = join(installed, "tau");
			writeFileSync(program, "#!/bin/sh\necho runs\n", { mode: 0o755 });
			await using box = await sandboxFixture({ landlock, programs: [program] });
			const ran = await box.run(`${program}; echo x > ${installed}/planted`);
			expect(ran.text).toStartWith("runs\n");
			expect(readdirSync(installed)).toEqual(["tau"]);
		} finally {
			rmSync(installed, { recursive: true, force: true });
		}
	});

test("without a sandbox tools see what everyone sees", async () => {
	const directory = mkdtempSync(join(tmpdir(), "tau-plain-"));
	try {
		const { files } = withSandbox(localMachine(), () => undefined, "/nowhere");
		mkdirSync(join(directory, "a"));
		expect(await write(files, join(directory, "a/f"), "x")).toBe("written");
		expect(existsSync(join(directory, "a/f"))).toBe(true);
	} finally {
		rmSync(directory, { recursive: true, force: true });
	}
});
