/** A change is written atomically, beside concurrent changes of others, and never damages the file. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import {
	chmodSync,
	lstatSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	rmSync,
	statSync,
	symlinkSync,
	utimesSync,
	writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { writeTestFile as write } from "../../../../test/support/files.ts";
import type { SettingPath } from "./schema.ts";
import { Settings } from "./settings.ts";
import { changeFile } from "./write-file.ts";

let base = "";
let file = "";
beforeEach(() => {
	base = mkdtempSync(join(tmpdir(), "tau-write-"));
	mkdirSync(join(base, "project"));
	file = join(base, "agent/config.yml");
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

function load(...overlays: string[]): Promise<Settings> {
	return Settings.load({ cwd: join(base, "project"), agentDir: join(base, "agent"), overlays });
}

function content(): string {
	return readFileSync(file, "utf8");
}

describe("set and unset", () => {
	test("create the file and its directory, readable by the user only, and leave nothing else behind", async () => {
		const settings = await load();
		expect(await settings.set("retry.maxRetries", 5, "global")).toEqual({ ok: true, file });
		expect(content()).toBe("retry:\n  maxRetries: 5\n");
		expect(statSync(file).mode & 0o777).toBe(0o600);
		expect(readdirSync(dirname(file))).toEqual(["config.yml"]);
		expect(settings.get("retry.maxRetries")).toBe(5);
		expect(await settings.unset("retry.maxRetries", "global")).toEqual({ ok: true, file });
		expect(content()).toBe("");
		expect(settings.get("retry.maxRetries")).toBe(3);
	});

	test("write to the project what a project may set", async () => {
		const settings = await load();
		const project = join(base, "project/.tau/config.yml");
		expect(await settings.set("bash.timeoutSeconds", 9, "project")).toEqual({ ok: true, file: project });
		expect(readFileSync(project, "utf8")).toBe("bash:\n  timeoutSeconds: 9\n");
		expect(await settings.set("retry.enabled", false, "project")).toEqual({
			ok: false,
			fault: "request",
			reason: "A project may not set retry.enabled, because it affects cost.",
		});
	});

	test("of one entry of a table leave the others", async () => {
		write(file, "modelRoles:\n  default: a # mine\n");
		const settings = await load();
		await settings.set("modelRoles.smol", "b", "global");
		expect(content()).toBe("modelRoles:\n  default: a # mine\n  smol: b\n");
		await settings.unset("modelRoles.default", "global");
		expect(settings.get("modelRoles")).toEqual({ smol: "b" });
	});

	test("for the session write nothing, and end with it", async () => {
		write(file, "modelRoles: { default: a }\n");
		const settings = await load();
		await settings.set("modelRoles.smol", "b", "session");
		await settings.set("modelRoles.slow", "c", "session");
		expect(settings.get("modelRoles")).toEqual({ default: "a", smol: "b", slow: "c" });
		expect((await settings.explain("modelRoles.smol")).from).toEqual({ layer: "session" });
		await settings.unset("modelRoles.slow", "session");
		await settings.reload();
		expect(settings.get("modelRoles")).toEqual({ default: "a", smol: "b" });
		expect(content()).toBe("modelRoles: { default: a }\n");
		expect(await settings.set("sessionDir", "x", "session")).toMatchObject({ ok: false, fault: "request" });
	});

	const wrong: [key: string, value: unknown, reason: string][] = [
		["retry.maxRetrys", 1, "Unknown setting retry.maxRetrys. Did you mean retry.maxRetries"],
		["zzz", 1, "Unknown setting zzz. See tau config list."],
		["retry", {}, "Unknown setting retry. Did you mean"],
		["retry.maxRetries", "5", 'retry.maxRetries must be a whole number from 0 to 100, not "5".'],
		["modelRoles.smol", 5, "modelRoles.smol must be text, not 5."],
		["modelRoles.smol", "", "modelRoles.smol must be text, not nothing."],
	];
	test.each(wrong)("reject %s = %j without touching the file", async (key, value, reason) => {
		const outcome = await (await load()).setUnchecked(key, value, "global");
		expect(outcome).toEqual({ ok: false, fault: "request", reason: expect.stringContaining(reason) });
		expect(readdirSync(base)).toEqual(["project"]);
	});

	test("under the current name remove old ones", async () => {
		write(file, "queueMode: all # q\ndefaultProvider: p\ndefaultModel: m\nother: 1\n");
		const settings = await load();
		await settings.set("steeringMode", "one-at-a-time", "global");
		await settings.set("modelRoles.default", "x/y", "global");
		expect(content()).toBe("other: 1\nsteeringMode: one-at-a-time\nmodelRoles:\n  default: x/y\n");
		write(file, "queueMode: all\n");
		await settings.unset("steeringMode", "global");
		expect(content()).toBe("");
	});

	test("write config.yml if the setting is in settings.json, which stays unchanged", async () => {
		const old = join(base, "agent/settings.json");
		write(old, '{"steeringMode":"all","retry":{"maxRetries":9}}');
		const settings = await load();
		await settings.set("steeringMode", "one-at-a-time", "global");
		expect(settings.get("steeringMode")).toBe("one-at-a-time");
		expect(settings.get("retry.maxRetries")).toBe(9);
		expect(readFileSync(old, "utf8")).toBe('{"steeringMode":"all","retry":{"maxRetries":9}}');
		const outcome = await settings.unset("retry.maxRetries", "global");
		expect(outcome).toMatchObject({ ok: true, hiddenBy: { file: old, line: 1 } });
	});

	test("report a higher layer that overrides them", async () => {
		const project = join(base, "project/.tau/config.yml");
		write(project, "\nsteeringMode: all\n");
		const settings = await load();
		expect(await settings.set("steeringMode", "one-at-a-time", "global")).toEqual({
			ok: true,
			file,
			hiddenBy: { layer: "project", file: project, line: 2 },
		});
		expect(settings.get("steeringMode")).toBe("all");
	});
});

describe("listeners", () => {
	test("get exactly the changed settings, also those that an editor changed", async () => {
		write(file, "steeringMode: one-at-a-time\n");
		const settings = await load();
		const received: [SettingPath, unknown][] = [];
		using listening = settings.onChange((path, value) => received.push([path, value]));
		write(file, "steeringMode: all\n");
		await settings.set("retry.maxRetries", 5, "global");
		await settings.set("retry.maxRetries", 5, "global");
		expect(received).toEqual([
			["steeringMode", "all"],
			["retry.maxRetries", 5],
		]);
		listening[Symbol.dispose]();
		await settings.set("retry.maxRetries", 6, "session");
		expect(received).toHaveLength(2);
	});

	test("that fail do not affect the others", async () => {
		const settings = await load();
		using _failing = settings.onChange(() => {
			throw new Error("no");
		});
		let received: unknown;
		using _other = settings.onChange((_path, value) => (received = value));
		expect(await settings.set("retry.maxRetries", 5, "session")).toEqual({ ok: true });
		expect(received).toBe(5);
	});
});

describe("the file", () => {
	test("keeps its mode", async () => {
		write(file, "a: 1\n");
		chmodSync(file, 0o664);
		await (await load()).set("steeringMode", "all", "global");
		expect(statSync(file).mode & 0o777).toBe(0o664);
	});

	test("stays a link, also a dangling one", async () => {
		const target = join(base, "dotfiles/tau.yml");
		mkdirSync(dirname(file));
		symlinkSync("../dotfiles/link", file);
		mkdirSync(dirname(target));
		symlinkSync("tau.yml", join(base, "dotfiles/link"));
		const settings = await load();
		await settings.set("steeringMode", "all", "global");
		await settings.set("followUpMode", "all", "global");
		expect(lstatSync(file).isSymbolicLink()).toBe(true);
		expect(readFileSync(target, "utf8")).toBe("steeringMode: all\nfollowUpMode: all\n");
	});

	test("links in a cycle are reported, not followed forever", async () => {
		mkdirSync(dirname(file));
		symlinkSync("config.yml", file);
		expect(await (await load()).set("steeringMode", "all", "global")).toMatchObject({
			ok: false,
			fault: "file",
		});
	});

	test.each(["retry: [1\nb: }\n", "- a\n", "a\0b", "steeringMode: x\nsteeringMode: y\n"])(
		"%j is left unchanged if it cannot be changed safely",
		async (text) => {
			write(file, text);
			const outcome = await (await load()).set("steeringMode", "all", "global");
			expect(outcome).toEqual({ ok: false, fault: "file", reason: expect.stringContaining(file) });
			expect(content()).toBe(text);
			expect(readdirSync(dirname(file))).toEqual(["config.yml"]);
		},
	);

	test.each(["a file in the way", "a read-only file system"])("%s is reported", async (obstacle) => {
		write(join(base, "agent"), "a file in the way");
		const agentDir = obstacle.startsWith("a file") ? join(base, "agent") : "/proc/self";
		const settings = await Settings.load({ cwd: base, agentDir });
		const outcome = await settings.set("steeringMode", "all", "global");
		expect(outcome).toMatchObject({
			ok: false,
			fault: "file",
			reason: expect.stringContaining("cannot be written"),
		});
	});

	test("of a project that is a link out of it is not written", async () => {
		const outside = join(base, "outside.yml");
		write(outside, "mine: 1\n");
		mkdirSync(join(base, "project/.tau"));
		symlinkSync(outside, join(base, "project/.tau/config.yml"));
		const settings = await load();
		const first = await settings.set("steeringMode", "all", "project");
		expect(first).toMatchObject({
			ok: false,
			fault: "file",
			reason: expect.stringContaining("points outside the project"),
		});
		rmSync(join(base, "project/.tau"), { recursive: true });
		mkdirSync(join(base, "elsewhere"));
		symlinkSync(join(base, "elsewhere"), join(base, "project/.tau"));
		expect(await settings.set("steeringMode", "all", "project")).toMatchObject({ ok: false, fault: "file" });
		expect(readFileSync(outside, "utf8")).toBe("mine: 1\n");
		expect(readdirSync(join(base, "elsewhere"))).toEqual([]);
	});
});

describe("concurrent writers", () => {
	test("what an editor saved since the start is preserved", async () => {
		write(file, "steeringMode: all\n");
		const settings = await load();
		write(file, "# edited\nsteeringMode: one-at-a-time\nfollowUpMode: all\n");
		await settings.set("retry.maxRetries", 5, "global");
		expect(content()).toBe(
			"# edited\nsteeringMode: one-at-a-time\nfollowUpMode: all\nretry:\n  maxRetries: 5\n",
		);
	});

	test("what an editor saves during a change is preserved, and the change is applied to it", async () => {
		write(file, "a: 1\n");
		const seen: string[] = [];
		const changing = changeFile(file, (text) => {
			seen.push(text);
			if (seen.length < 3) writeFileSync(file, `${text}# saved ${seen.length}\n`);
			return { ok: true, text: `${text}b: 2\n` };
		});
		expect(await changing).toEqual({ ok: true });
		expect(seen).toEqual(["a: 1\n", "a: 1\n# saved 1\n", "a: 1\n# saved 1\n# saved 2\n"]);
		expect(content()).toBe("a: 1\n# saved 1\n# saved 2\nb: 2\n");
	});

	test("an editor that never stops saving is reported, and its text stays", async () => {
		let saved = 0;
		const outcome = await changeFile(file, () => {
			write(file, `saved: ${++saved}\n`);
			return { ok: true, text: "lost: true\n" };
		});
		expect(outcome).toMatchObject({ ok: false, reason: expect.stringContaining("keeps being changed") });
		expect(content()).toBe(`saved: ${saved}\n`);
		expect(readdirSync(dirname(file))).toEqual(["config.yml"]);
	});

	test("many changes at once are all written", async () => {
		const [one, two] = [await load(), await load()];
		const outcomes = await Promise.all(
			Array.from({ length: 20 }, (_, index) =>
				(index % 2 === 0 ? one : two).set(`modelRoles.role${index}`, `model${index}`, "global"),
			),
		);
		expect(outcomes.every(({ ok }) => ok)).toBe(true);
		await one.reload();
		expect(Object.keys(one.get("modelRoles"))).toHaveLength(20);
	});

	test("of two changes to one setting the later one is kept", async () => {
		const settings = await load();
		const changes = Array.from({ length: 10 }, (_, index) =>
			settings.set("retry.maxRetries", index, "global"),
		);
		await Promise.all(changes);
		expect(content()).toBe("retry:\n  maxRetries: 9\n");
	});

	test("processes that write at once lose nothing", async () => {
		const writer = join(base, "writer.ts");
		const door = JSON.stringify(join(import.meta.dir, "index.ts"));
		writeFileSync(
			writer,
			`import { Settings } from ${door};
			const [name, cwd, agentDir] = process.argv.slice(2);
			const settings = await Settings.load({ cwd, agentDir });
			for (let index = 0; index < 15; index++) {
				const outcome = await settings.set(\`modelRoles.\${name}\${index}\`, "x", "global");
				if (!outcome.ok) throw new Error(outcome.reason);
			}`,
		);
		write(file, "# kept\nmodelRoles: # too\n  default: y\n");
		const children = ["a", "b", "c"].map((name) =>
			Bun.spawn([process.execPath, writer, name, join(base, "project"), dirname(file)], { stderr: "pipe" }),
		);
		for (const child of children) {
			expect(await child.stderr.text()).toBe("");
			expect(await child.exited).toBe(0);
		}
		const settings = await load();
		expect(Object.keys(settings.get("modelRoles"))).toHaveLength(46);
		expect(content()).toStartWith("# kept\nmodelRoles: # too\n  default: y\n");
		expect(readdirSync(dirname(file))).toEqual(["config.yml"]);
	});

	test("a stale lock blocks nobody", async () => {
		write(file, "");
		writeFileSync(`${file}.lock`, "torn");
		const longAgo = new Date(Date.now() - 24 * 60 * 60 * 1000);
		utimesSync(`${file}.lock`, longAgo, longAgo);
		expect(await (await load()).set("steeringMode", "all", "global")).toMatchObject({ ok: true });
		expect(content()).toBe("steeringMode: all\n");
	});
});
