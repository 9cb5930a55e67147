/** The first `./tau` in a clone: what keeps it from installing or building is said at once, and nothing waits forever. */
import {
	chmodSync,
	chownSync,
	copyFileSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmdirSync,
	rmSync,
	unlinkSync,
	writeFileSync,
} from "node:fs";
import { basename, join } from "node:path";

import { afterAll, beforeEach, describe, expect, test } from "bun:test";

import { become, openParent, user } from "../support/as-user.ts";
import { root } from "../support/launch.ts";
import { needs } from "../support/needs.ts";

const parent = mkdtempSync(join(openParent(), "tau-clone-"));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
chmodSync(parent, 0o755);

let clone = "";
let clones = 0;
beforeEach(() => {
	clone = join(parent, `clone-${++clones}`);
	for (const directory of ["scripts", "bin", "packages"])
		mkdirSync(join(clone, directory), { recursive: true });
	for (const file of ["tau", "scripts/bootstrap.sh"]) copyFileSync(join(root, file), join(clone, file));
	writeFileSync(join(clone, "package.json"), '{ "dependencies": {\n"bun": "1.0.0"\n} }\n');
	writeFileSync(join(clone, "bun.lock"), "");
	npx(`mkdir -p node_modules/.bin && cp bin/bun node_modules/.bin/bun`);
	// It compiles by writing a program that prints its arguments.
	const compiled = "node_modules/.cache/tau/tau";
	program(
		"bun",
		`cd ${clone}; mkdir -p node_modules/.cache/tau; printf '#!/bin/sh\\necho started "$@"\\n' > ${compiled}; chmod +x ${compiled}`,
	);
	give();
});

function program(name: string, script: string): void {
	writeFileSync(join(clone, "bin", name), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
}

/** What npm would do. */
function npx(script: string): void {
	program("npx", script);
}

/** To the user who starts it. */
function give(): void {
	const { exitCode } = Bun.spawnSync(["chown", "-R", `${user}:${user}`, clone], { stderr: "ignore" });
	if (become.length > 0) expect(exitCode).toBe(0);
}

function env(): Record<string, string> {
	return { PATH: `${join(clone, "bin")}:${process.env.PATH}`, HOME: parent, TERM: "xterm" };
}

function start(): Bun.Subprocess<"ignore", "pipe", "pipe"> {
	const options = { env: env(), stdin: "ignore", stdout: "pipe", stderr: "pipe" } as const;
	return Bun.spawn([...become, join(clone, "tau"), "--version"], options);
}

async function run(): Promise<{ code: number; out: string; err: string }> {
	const child = start();
	const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
	return { code, out, err };
}

function removeLock(): void {
	unlinkSync(join(lock(), "pid"));
	rmdirSync(lock());
}

const lock = (): string => join(clone, ".tau-installing");
const asUser = needs(...(become.length > 0 ? ["setpriv"] : []));

asUser("it installs, builds and starts", async () => {
	const err = "tau: installing dependencies (once) …\n";
	expect(await run()).toEqual({ code: 0, out: "started --version\n", err });
	// The next start installs nothing.
	expect(await run()).toEqual({ code: 0, out: "started --version\n", err: "" });
});

asUser("what opens a terminal is built before, so that the terminal does not show the build", async () => {
	const calls = join(clone, "calls");
	const compiled = "node_modules/.cache/tau/tau";
	program(
		"bun",
		`echo "$*" >>${calls}; cd ${clone}; mkdir -p node_modules/.cache/tau; printf '#!/bin/sh\\n' >${compiled}; chmod +x ${compiled}`,
	);
	give();
	for (const task of ["soak", "pictures", "bytecode-order"]) {
		const child = Bun.spawn([...become, "sh", join(clone, "scripts/bootstrap.sh"), task], {
			env: env(),
			stdin: "ignore",
			stdout: "ignore",
			stderr: "ignore",
		});
		expect(await child.exited).toBe(0);
		const [build, script] = readFileSync(calls, "utf8").trim().split("\n").slice(-2);
		expect(build).toContain("scripts/compile.ts");
		expect(script).toContain(task === "soak" ? "test/soak/main.ts" : `scripts/${task}`);
	}
});

asUser("a clone that cannot be written says so at once", async () => {
	if (become.length > 0) chownSync(clone, 0, 0);
	chmodSync(clone, 0o555);
	const { code, err } = await run();
	chmodSync(clone, 0o755);
	expect(code).toBe(1);
	expect(err).toStartWith(`tau: ${clone} cannot be written (Permission denied): run ./tau once as its owner`);
});

describe("the lock of another installation", () => {
	asUser("is taken over if its owner is gone", async () => {
		mkdirSync(lock());
		// No system has so many processes.
		writeFileSync(join(lock(), "pid"), `${2 ** 30}`);
		give();
		expect(await run()).toMatchObject({ code: 0, out: "started --version\n" });
	});

	asUser("is taken over after a while if it has no owner", async () => {
		mkdirSync(lock());
		give();
		expect(await run()).toMatchObject({ code: 0, out: "started --version\n" });
	});

	asUser("is respected while its owner runs, even as another user", async () => {
		mkdirSync(lock());
		writeFileSync(join(lock(), "pid"), "1");
		give();
		const child = start();
		let err = "";
		for await (const chunk of child.stderr) {
			const isWaiting = err.includes("waiting for another installation (process 1) …\n");
			err += new TextDecoder().decode(chunk);
			if (!isWaiting && err.includes("(process 1) …\n")) removeLock();
		}
		expect(await child.exited).toBe(0);
		expect(err).toContain("installing dependencies");
	});
});

describe("an installation that fails", () => {
	const cases: [what: string, script: string, expected: string][] = [
		["by a full disk", "echo npm error code ENOSPC >&2; exit 1", "the disk is full. Free some space"],
		["without a network", "echo npm error code EAI_AGAIN >&2; exit 1", "the npm registry cannot be reached."],
		[
			"without rights",
			"echo npm error code EACCES >&2; exit 1",
			"a directory cannot be written (see above).",
		],
		["otherwise", "echo something else >&2; exit 1", "installing dependencies failed (see above)."],
	];
	for (const [what, script, expected] of cases)
		asUser(`${what} names the cause, and leaves no lock`, async () => {
			npx(script);
			const { code, err } = await run();
			expect(code).toBe(1);
			expect(err).toContain(expected);
			expect(await Bun.file(join(lock(), "pid")).exists()).toBe(false);
		});
});

const asRoot = needs("root", "mounts of its own");

describe("root tests in memory", () => {
	async function runTests(temporary: string): Promise<string> {
		program("bun", `touch ${temporary}/new; ls -A ${temporary}`);
		const command = ["sh", join(clone, "scripts/bootstrap.sh"), "test"];
		const environment = { ...env(), HOME: "/root", TMPDIR: temporary };
		const child = Bun.spawn(command, { env: environment, stdin: "ignore", stdout: "pipe", stderr: "ignore" });
		const [out, code] = await Promise.all([child.stdout.text(), child.exited]);
		expect(code).toBe(0);
		return out;
	}

	asRoot("which nobody else sees", async () => {
		const temporary = mkdtempSync(join(parent, "temporary-"));
		writeFileSync(join(temporary, "old"), "");
		expect(await runTests(temporary)).toBe("new\n");
		expect(readdirSync(temporary)).toEqual(["old"]);
	});

	asRoot("unless the clone lies there", async () => {
		expect(await runTests(parent)).toContain(`${basename(clone)}\n`);
		unlinkSync(join(parent, "new"));
	});
});

asUser("two starts at once build once", async () => {
	await run();
	const compiled = join(clone, "node_modules/.cache/tau/tau");
	writeFileSync(
		join(clone, "node_modules/.bin/bun"),
		`#!/bin/sh\ncd ${clone}; echo build >> builds; until [ -e go ]; do sleep 0.05; done\n` +
			`echo : > ${compiled}-changed.sh; touch ${compiled}; touch -r ${compiled} ${compiled}-changed.sh\n`,
		{ mode: 0o755 },
	);
	const starts = [start(), start()];
	// One of them waits for the other.
	const waiting = await Promise.any(
		starts.map(async (child) => {
			let err = "";
			for await (const chunk of child.stderr) {
				err += new TextDecoder().decode(chunk);
				if (err.includes("waiting for another build (process ")) return child;
			}
			throw new Error(err);
		}),
	);
	writeFileSync(join(clone, "go"), "");
	expect(await waiting.stdout.text()).toBe("started --version\n");
	expect(await Promise.all(starts.map((child) => child.exited))).toEqual([0, 0]);
	expect(await Bun.file(join(clone, "builds")).text()).toBe("build\n");
});

test("on a terminal it says that it builds, in a row that goes away", async () => {
	let shown = "";
	const decoder = new TextDecoder();
	const child = Bun.spawn([join(clone, "tau"), "--version"], {
		env: env(),
		terminal: { cols: 200, rows: 50, data: (_, chunk) => void (shown += decoder.decode(chunk)) },
	});
	expect(await child.exited).toBe(0);
	const deadline = performance.now() + 60_000;
	while (!shown.includes("started") && performance.now() < deadline) await Bun.sleep(10);
	expect(shown).toContain("\r\u001B[Ktau: installing dependencies (once) …");
	expect(shown).toContain("\r\u001B[Ktau: building (once) …\r\u001B[K");
	expect(shown).toContain("started --version");
});
