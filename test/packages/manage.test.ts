/** Managing packages with the real program: whatever happens in between, and whatever is typed. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { playRegistry } from "../support/registry.ts";
import { launch, type Finished, type Launched } from "../support/launch.ts";

const registry = playRegistry();
afterAll(() => registry[Symbol.dispose]());
const env = { npm_config_registry: registry.url };

function tau(home: Launched, ...args: string[]): Promise<Finished> {
	return home.run(args, { env });
}

function lockOf(home: Launched): { plugins: Record<string, { version: string; folder: string }> } {
	return JSON.parse(readFileSync(join(home.agentDir, "plugins/tau-plugins.lock.json"), "utf8"));
}

test("kill -9 during an installation leaves the previous state, and the next run cleans up", async () => {
	await using home = await launch({ steps: [] });
	for (const version of ["1.0.0", "2.0.0"])
		registry.publish(
			{ name: "killed", version, pi: { extensions: ["x.ts"] } },
			{ "x.ts": "export default () => {};" },
		);
	await tau(home, "install", "npm:killed@1.0.0");
	const before = lockOf(home);
	const never = Promise.withResolvers<void>();
	const asked = registry.hold(never.promise);
	const running = home.start(["install", "npm:killed"], { env });
	await asked;
	running.process.kill("SIGKILL");
	await running.finished;
	never.resolve();
	expect(lockOf(home)).toEqual(before);
	const store = join(home.agentDir, "plugins/store");
	expect(readdirSync(store)).toHaveLength(2);
	expect((await tau(home, "list")).out).toContain("killed  1.0.0    user");
	expect((await tau(home, "plugin", "doctor")).out).toContain("1 folders of unfinished installs");
	expect((await tau(home, "install", "npm:killed")).out).toBe(
		"Installed killed 2.0.0 (was 1.0.0): 1 extension.\n",
	);
	expect(readdirSync(store)).toEqual([lockOf(home).plugins.killed?.folder ?? ""]);
});

test("two concurrent runs wait for each other, and neither loses the other's changes", async () => {
	await using home = await launch({ steps: [] });
	for (const name of ["first", "second"])
		registry.publish(
			{ name, version: "1.0.0", pi: { extensions: ["x.ts"] } },
			{ "x.ts": "export default () => {};" },
		);
	const gate = Promise.withResolvers<void>();
	const asked = registry.hold(gate.promise);
	const first = home.start(["install", "npm:first"], { env });
	await asked;
	const second = home.start(["install", "npm:second"], { env });
	await second.until(({ err }) => err.includes("which is installing packages."));
	gate.resolve();
	expect(await first.finished).toMatchObject({ code: 0 });
	expect(await second.finished).toMatchObject({ code: 0 });
	expect(Object.keys(lockOf(home).plugins).toSorted()).toEqual(["first", "second"]);
});

test("Ctrl+C during an installation ends it at once and leaves nothing", async () => {
	await using home = await launch({ steps: [] });
	registry.publish({ name: "slow", version: "1.0.0" });
	const never = Promise.withResolvers<void>();
	const asked = registry.hold(never.promise);
	const running = home.start(["install", "npm:slow"], { env });
	await asked;
	running.process.kill("SIGINT");
	expect(await running.finished).toMatchObject({
		code: 130,
		err: "tau: Interrupted. Nothing was changed.\n",
	});
	never.resolve();
	expect(readdirSync(join(home.agentDir, "plugins/store"))).toEqual([]);
});

test("features and settings of a package are shown and changed, and secrets are never shown", async () => {
	await using home = await launch({ steps: [] });
	const settings = {
		endpoint: { type: "string", default: "https://x", description: "Where to ask." },
		size: { type: "number", min: 1, max: 9 },
		token: { type: "string", secret: true, env: "DEMO_TOKEN" },
	};
	const omp = {
		extensions: ["x.ts"],
		features: { extra: { description: "More." }, base: { default: true } },
		settings,
	};
	registry.publish({ name: "configured", version: "1.0.0", omp }, { "x.ts": "export default () => {};" });
	await tau(home, "plugin", "install", "configured[extra]");
	const plugin = (...words: string[]): Promise<Finished> => tau(home, "plugin", ...words);
	expect((await plugin("features", "configured")).out).toBe("on   extra  More.\noff  base\n");
	expect((await plugin("features", "configured", "--enable", "base", "--disable", "extra")).out).toBe(
		"off  extra  More.\non   base\n",
	);
	expect((await plugin("features", "configured", "--enable", "nope")).err).toContain(
		"Available: extra, base.",
	);
	expect((await plugin("config", "set", "configured", "size", "12")).err).toBe(
		"tau: size must be at most 9.\n",
	);
	expect((await plugin("config", "set", "configured", "size", "7")).out).toBe("Set size to 7.\n");
	expect((await plugin("config", "set", "configured", "token", "hush-hush")).out).not.toContain("hush");
	const listed = (await plugin("config", "list", "configured")).out;
	expect(listed).toContain("endpoint  https://x  default");
	expect(listed).toContain("token     ••••••••   set");
	expect((await plugin("config", "get", "configured", "token", "--json")).out).not.toContain("hush");
	expect((await plugin("config", "delete", "configured", "token")).code).toBe(0);
	expect(
		(
			await home.run(["plugin", "config", "get", "configured", "token"], {
				env: { ...env, DEMO_TOKEN: "s3cret" },
			})
		).out,
	).toBe("••••••••\n");
	expect((await plugin("config", "get", "configured", "sise")).err).toContain("Did you mean size?");
	expect((await plugin("config", "validate", "configured")).out).toBe(
		"The settings of configured are valid.\n",
	);
});

test("single items of a package are shown, disabled and enabled again, and stay so through an update", async () => {
	await using home = await launch({ steps: [] });
	const skill = (name: string): string => `---\nname: ${name}\ndescription: ${name} things.\n---\n`;
	const publish = (version: string): void =>
		registry.publish(
			{
				name: "several",
				version,
				pi: { extensions: ["src/greet.ts"], skills: ["skills"], prompts: ["prompts"] },
			},
			{
				"src/greet.ts": "export default () => {};",
				"skills/pdf/SKILL.md": skill("pdf"),
				"skills/csv/SKILL.md": skill("csv"),
				"prompts/review.md": "Review.\n",
			},
		);
	publish("1.0.0");
	await tau(home, "install", "npm:several");
	const plugin = (...words: string[]): Promise<Finished> => tau(home, "plugin", ...words);
	expect((await plugin("disable", "several", "extensions/greet", "skills/pdf")).out).toBe(
		"Disabled extensions/greet of several.\nDisabled skills/pdf of several.\n",
	);
	const shown = [
		"PART                   FILE",
		"extensions/greet  off  src/greet.ts",
		"skills/csv        on   skills/csv/SKILL.md",
		"skills/pdf        off  skills/pdf/SKILL.md",
		"prompts/review    on   prompts/review.md",
	];
	expect((await plugin("show", "several")).out.trimEnd().split("\n")).toEqual(shown);
	publish("1.1.0");
	expect((await plugin("update")).out).toBe("several: 1.0.0 → 1.1.0.\n");
	expect((await plugin("show", "several")).out.trimEnd().split("\n")).toEqual(shown);
	const found = (await tau(home, "doctor")).out;
	expect(found).toContain("csv things.");
	expect(found).not.toContain("pdf things.");
	expect(found).not.toContain("greet.ts");
	expect((await plugin("enable", "several", "skills/pdf", "--json")).out).toBe(
		'{"name":"several","part":"skills/pdf","path":"skills/pdf/SKILL.md","enabled":true}\n',
	);
	expect((await tau(home, "doctor")).out).toContain("pdf things.");
	expect(await plugin("disable", "several", "skills/pfd")).toMatchObject({
		code: 1,
		err: "tau: several: It has no skills/pfd. Did you mean skills/pdf?\n",
	});
	expect((await plugin("disable", "nobody", "skills/pdf")).err).toContain("Package nobody not found.");
	const file = join(home.home, "alone.ts");
	writeFileSync(file, "export default () => {};");
	await plugin("link", file);
	expect((await plugin("show", "alone")).out).toContain("extensions/alone  on");
	expect((await plugin("disable", "alone", "extensions/alone")).err).toBe(
		"tau: alone is a single file. Use tau plugin disable alone\n",
	);
});

test("a plugin of a marketplace that Claude Code knows is installed by its name there", async () => {
	await using home = await launch({ steps: [] });
	const market = join(home.home, "market");
	const writeFixture = (path: string, value: unknown): void => {
		mkdirSync(dirname(path), { recursive: true });
		writeFileSync(path, typeof value === "string" ? value : JSON.stringify(value));
	};
	writeFixture(join(home.home, ".claude/plugins/known_marketplaces.json"), {
		shop: { installLocation: market },
	});
	writeFixture(join(market, ".claude-plugin/marketplace.json"), {
		name: "shop",
		plugins: [
			{ name: "near", source: "./near" },
			{ name: "far", source: { source: "npm", package: "far-away" } },
			{ name: "lost", source: { source: "moon" } },
			{ name: "out", source: "../../secret" },
		],
	});
	writeFixture(join(market, "near/.claude-plugin/plugin.json"), { name: "near", version: "2.0.0" });
	writeFixture(join(market, "near/commands/hi.md"), "Say hi.\n");
	registry.publish({ name: "far-away", version: "3.0.0" }, { "skills/x/SKILL.md": "---\nname: x\n---\n" });
	const install = (word: string): Promise<Finished> => tau(home, "plugin", "install", word);
	expect((await install("near@shop")).out).toBe("Linked near 2.0.0 from ~/market/near: 1 command.\n");
	expect((await install("far@shop")).out).toBe("Installed far-away 3.0.0: 1 skill.\n");
	expect((await install("naer@shop")).err).toContain(
		"naer not found in the marketplace shop. Did you mean near?",
	);
	for (const word of ["lost", "out"])
		expect((await install(`${word}@shop`)).err).toContain(`gives no source for ${word}`);
	// A name that is not a marketplace is a tag of npm's.
	expect((await install("far-away@latest")).code).toBe(0);
});

test("typos and invalid packages are reported", async () => {
	await using home = await launch({ steps: [] });
	expect((await tau(home, "plugin", "instal", "npm:x")).err).toBe(
		'tau: Unknown command: tau plugin instal. Did you mean install? To send it as a prompt: tau -p "plugin instal npm:x"\n',
	);
	expect(await tau(home, "install", "npm:$(touch x)")).toMatchObject({
		code: 2,
		err: expect.stringContaining("characters that are not allowed"),
	});
	expect((await tau(home, "plugin", "--help")).out).toContain(
		"tau plugin config set <package> <key> <value>",
	);
	expect((await tau(home, "plugin", "install", "x", "--fix")).err).toContain(
		"--fix only applies to tau plugin doctor.",
	);
	expect((await tau(home, "install", "npm:absent")).err).toContain(
		"Package absent not found at http://127.0.0.1",
	);
});
