/** File systems that are mounted while a sandbox runs, where mounts are shared, as on a machine with systemd. */
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { expect } from "bun:test";

import { needs, ownMounts } from "../../../../test/support/needs.ts";
import { isAdministrator, userCommand, userEnvironment } from "./testing/as-user.ts";
import { writeAtStart, writeLater, type Attempts, type MountPoints } from "./testing/mounted-later.ts";
import { neededForLandlock, neededPrograms } from "./testing/sandbox-fixture.ts";

const mountedLater = join(import.meta.dir, "testing/mounted-later.ts");
const supportCode = join(import.meta.dir, "support.ts");
const share = ["sh", "-c", 'mount --make-rshared / && exec "$@"', "sh"];
/** Each test starts programs that compile the sources. */
const timeoutMs = 60_000;
const refused = /^touch: .*(?:Read-only file system|Permission denied)\n$/;

/** The arguments of a program that talks to this one in lines. */
function writesLater(landlock = false): string[] {
	const caller = "{ untilMounted: exchange, look: exchange }";
	const exchange = "(value) => { console.log(JSON.stringify(value)); return answers.next(); }";
	const script = `const answers = console[Symbol.asyncIterator](); const exchange = ${exchange};`;
	return [
		"-e",
		`${script} await (await import("${mountedLater}")).${writeLater.name}(${caller}, ${landlock});`,
	];
}

interface Seen extends Attempts {
	/** What a user sees in the file systems, after all attempts. */
	readonly outsideFiles: readonly string[];
	readonly projectFiles: readonly string[];
}

const bubblewrap = needs(...neededPrograms, "mounts of its own");
const landlock = needs(...neededForLandlock, "mounts of its own");
const asUser = needs("root", ...neededPrograms, "setpriv");

bubblewrap(
	"no shell of a running sandbox sees a file system that is mounted later",
	async () => {
		expectNothing(
			await mountLater([...ownMounts(), ...share, process.execPath, ...writesLater()], process.env),
		);
	},
	timeoutMs,
);

asUser(
	"the same holds for a user without rights",
	async () => {
		using home = temporary();
		const command = await userCommand(home.path, writesLater(), ["unshare", "--mount", ...share]);
		expectNothing(await mountLater(command, userEnvironment(home.path)));
	},
	timeoutMs,
);

needs("root", ...neededPrograms)(
	"nor one that is mounted while the sandbox starts",
	async () => {
		using place = temporary();
		const outside = join(place.path, "outside");
		const signal = join(place.path, "signal");
		const bwrap = join(place.path, "bwrap");
		mkdirSync(outside);
		// Tau learns that the sandbox is ready when the file system has been mounted.
		const late = `"$bwrap" "$@" | { read -r line; mount -t tmpfs none ${outside}; echo "$line"; cat; }`;
		const script = `bwrap=${Bun.which("bwrap")}; rm ${signal} 2>/dev/null || exec "$bwrap" "$@"; ${late}`;
		writeFileSync(bwrap, `#!/bin/sh\n${script}\n`, { mode: 0o755 });
		const call = `process.stdout.write(await (await import("${mountedLater}")).${writeAtStart.name}("${signal}", "${outside}"))`;
		const command = [...ownMounts(), ...share, process.execPath, "-e", call];
		const { stdout } = Bun.spawnSync(command, { env: { ...process.env, TAU_BWRAP: bwrap }, timeout: 60_000 });
		expect(stdout.toString()).toMatch(refused);
		expect(existsSync(signal)).toBe(false);
	},
	timeoutMs,
);

bubblewrap(
	"where mounts cannot be made private, Tau uses another sandbox and says why",
	() => {
		using place = temporary();
		const mount = join(place.path, "mount");
		writeFileSync(mount, "#!/bin/sh\necho 'mount: permission denied.' >&2; exit 32\n", { mode: 0o755 });
		const env = { ...process.env, PATH: `${place.path}:${process.env.PATH}`, TAU_LANDLOCK: "0" };
		const shared = [...ownMounts(), "sh", "-c", `${Bun.which("mount")} --make-rshared / && exec "$@"`, "sh"];
		const call = `(await import("${supportCode}")).sandboxSupport(process.env, "${join(place.path, "cache")}")`;
		const command = [process.execPath, "-e", `console.log(JSON.stringify(await ${call}))`];
		const support = Bun.spawnSync([...shared, ...command], { env, timeout: 60_000 }).stdout.toString();
		expect(JSON.parse(support)).toMatchObject({
			kind: "none",
			reason: expect.stringMatching(
				/^bubblewrap starts no shell \(.*private \(mount: permission denied\.?\)\)$/,
			),
		});
		// Where nothing is shared, nothing has to be made private.
		const alone = Bun.spawnSync([...ownMounts(), ...command], { env, timeout: 60_000 }).stdout.toString();
		expect(JSON.parse(alone)).toMatchObject({ kind: "bubblewrap" });
	},
	timeoutMs,
);

landlock(
	"with Landlock, one in the project is writable, and one elsewhere is not",
	async () => {
		const command = [...ownMounts(), ...share, process.execPath, ...writesLater(true)];
		const seen = await mountLater(command, process.env);
		for (const text of [seen.before, seen.sameShell, seen.nextShell, seen.leftover])
			expect(text).toMatch(refused);
		expect(seen.inProject).toBe("written\n");
		expect(seen).toMatchObject({ outsideFiles: [], projectFiles: ["new"] });
	},
	timeoutMs,
);

/** Where the sandbox has no directory of its own in its place. */
function temporary(): { readonly path: string } & Disposable {
	const path = mkdtempSync(isAdministrator ? "/opt/tau-mounts-" : join(homedir(), ".tau-mounts-"));
	return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

function expectNothing(seen: Seen): void {
	for (const text of [seen.before, seen.sameShell, seen.nextShell, seen.leftover])
		expect(text).toMatch(refused);
	expect(seen).toMatchObject({ outsideFiles: [], projectFiles: [] });
}

/** Mounts as the owner of the namespace, which is not always the user of the sandbox. */
async function mountLater(
	command: readonly string[],
	env: Record<string, string | undefined>,
): Promise<Seen> {
	const child = Bun.spawn([...command], { env, stdio: ["pipe", "pipe", "inherit"], timeout: 60_000 });
	const entry = ["nsenter", "--target", `${child.pid}`, ...(isAdministrator ? [] : ["--user"]), "--mount"];
	const inside = (...args: string[]): string => {
		const { success, stdout, stderr } = Bun.spawnSync([...entry, "--preserve-credentials", "--", ...args]);
		if (!success) throw new Error(`${args.join(" ")}: ${stderr.toString()}`);
		return stdout.toString();
	};
	const list = (path: string): string[] => inside("ls", "-A", path).split("\n").filter(Boolean);
	const lines = linesOf(child.stdout);
	const points = JSON.parse((await lines.next()).value ?? "null") as MountPoints;
	const paths = [points.outside, points.inProject];
	for (const path of paths) inside("mount", "-t", "tmpfs", "-o", "mode=777", "none", path);
	child.stdin.write("mounted\n");
	await child.stdin.flush();
	const attempts = JSON.parse((await lines.next()).value ?? "null") as Attempts;
	const seen = { ...attempts, outsideFiles: list(points.outside), projectFiles: list(points.inProject) };
	for (const path of paths) inside("umount", path);
	await child.stdin.end();
	expect(await child.exited).toBe(0);
	return seen;
}

async function* linesOf(output: ReadableStream<Uint8Array>): AsyncGenerator<string, undefined> {
	const decoder = new TextDecoder();
	let text = "";
	for await (const chunk of output) {
		const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
		text = lines.pop() ?? "";
		yield* lines;
	}
	return undefined;
}
