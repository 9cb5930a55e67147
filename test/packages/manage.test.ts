/** Looking after packages by the real program: whatever happens in the middle, and whatever is typed. */
import { afterAll, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

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

test("kill -9 in the middle of an installation leaves what was before, and the next run clears up", async () => {
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
	expect((await tau(home, "plugin", "doctor")).out).toContain(
		"1 folders of runs that did not come to an end",
	);
	expect((await tau(home, "install", "npm:killed")).out).toBe(
		"Installed killed 2.0.0 (was 1.0.0): 1 extension.\n",
	);
	expect(readdirSync(store)).toEqual([lockOf(home).plugins.killed?.folder ?? ""]);
});

test("two runs at once wait for each other, and neither loses what the other did", async () => {
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
	await second.until(({ err }) => err.includes("is installing packages; waiting."));
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
		err: "tau: It was interrupted; nothing was changed.\n",
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
	expect((await plugin("features", "configured", "--enable", "nope")).err).toContain("It has: extra, base.");
	expect((await plugin("config", "set", "configured", "size", "12")).err).toBe(
		"tau: size must be at most 9.\n",
	);
	expect((await plugin("config", "set", "configured", "size", "7")).out).toBe("size is 7.\n");
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
		"The settings of configured are right.\n",
	);
});

test("slips and what cannot be a package are named", async () => {
	await using home = await launch({ steps: [] });
	expect((await tau(home, "plugin", "instal", "npm:x")).err).toBe(
		'tau: There is no tau plugin instal. Did you mean install? To send it as a prompt: tau -p "plugin instal npm:x"\n',
	);
	expect(await tau(home, "install", "npm:$(touch x)")).toMatchObject({
		code: 2,
		err: expect.stringContaining("characters that no package has"),
	});
	expect((await tau(home, "plugin", "--help")).out).toContain(
		"tau plugin config set <name> <setting> <value>",
	);
	expect((await tau(home, "plugin", "install", "x", "--fix")).err).toContain(
		"--fix goes with tau plugin doctor.",
	);
	expect((await tau(home, "install", "npm:absent")).err).toContain(
		"There is no package absent at http://127.0.0.1",
	);
});
