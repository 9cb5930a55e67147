/** `--profile`: settings and stored keys of another account, over those of the user. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";

test("a profile has settings that override the user's, and its own logins", async () => {
	await using tau = await launch({ steps: [] });
	await tau.run(["config", "set", "theme", "dawn"]);
	await tau.run(["config", "set", "retry.maxRetries", "7"]);
	await tau.run(["config", "set", "theme", "dusk", "--profile", "work"]);
	const theme = async (...flags: string[]): Promise<string> =>
		(await tau.run(["config", "get", "theme", ...flags])).out.trim();
	expect(await theme()).toBe("dawn");
	expect(await theme("--profile", "work")).toBe("dusk");
	expect((await tau.run(["config", "get", "retry.maxRetries", "--profile", "work"])).out.trim()).toBe("7");
	expect(readFileSync(join(tau.agentDir, "profiles/work/config.yml"), "utf8")).toContain("dusk");
	const key = ["login", "mistral", "--api-key"];
	expect(await tau.run([...key, "--profile", "work"], { stdin: "the-key-of-work\n" })).toMatchObject({
		code: 0,
	});
	expect(existsSync(join(tau.agentDir, "agent.db"))).toBe(false);
	expect((await tau.run(["auth", "status", "--profile", "work"])).out).toContain("mistral");
	expect((await tau.run(["auth", "status"])).out).not.toContain("mistral");
	expect((await tau.run(["auth", "status"], { env: { TAU_PROFILE: "work" } })).out).toContain("mistral");
});

test.each([
	[
		"a name that does not exist",
		"wrok",
		/There is no profile "wrok"\. Create it with tau login --profile wrok/,
	],
	["a path", "../other", /--profile \.\.\/other: a name has letters/],
])("%s is rejected", async (_, name, message) => {
	await using tau = await launch({ steps: [] });
	const { code, err } = await tau.run(["--profile", name, "-p", "hi", "--model", "played/played-1"]);
	expect(code).toBe(2);
	expect(err).toMatch(message);
});

test("a path in TAU_PROFILE is refused, also by commands that create a profile", async () => {
	await using tau = await launch({ steps: [] });
	const env = { TAU_PROFILE: "../../outside" };
	const { code, err } = await tau.run(["config", "set", "theme", "dark"], { env });
	expect(code).toBe(2);
	expect(err).toContain("TAU_PROFILE=../../outside: a name has letters");
});

test("showing a setting of a profile that does not exist is an error, changing one creates it", async () => {
	await using tau = await launch({ steps: [] });
	expect(await tau.run(["--profile", "fresh", "config", "get", "theme"])).toMatchObject({
		code: 2,
		err: expect.stringContaining('There is no profile "fresh"'),
	});
	expect(await tau.run(["--profile", "fresh", "config", "set", "theme", "dark"])).toMatchObject({ code: 0 });
	expect((await tau.run(["--profile", "fresh", "config", "get", "theme"])).out.trim()).toBe("dark");
});
