/** Every family of public secret scanners is found, ordinary sources stay, and nothing of a secret is left. */
// isolated: keys that other tests register are known to be secret in the same process
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { registerSecret } from "../mask.ts";
import { findSecrets, knownSecrets, maskFindings, maskValue, nothingKnown } from "./index.ts";
import { secretSamples } from "./testing/fixtures.ts";

const clean = (text: string): string => maskFindings(text, findSecrets(text, nothingKnown));

describe("families of public scanners", () => {
	const samples = secretSamples(5);

	test("every sample of every rule is found, alone and inside JSON", () => {
		const missed = samples.filter(({ secret, text }) => {
			// Half of a secret is a secret, too.
			const half = secret.trim().slice(-Math.ceil(secret.trim().length / 2));
			return (
				clean(text).includes(half) ||
				clean(JSON.stringify({ text: `a\n${text}` })).includes(JSON.stringify(half).slice(1, -1))
			);
		});
		expect(missed.map(({ rule, text }) => `${rule}: ${text}`)).toEqual([]);
		expect(new Set(samples.map(({ rule }) => rule)).size).toBeGreaterThan(180);
	});

	test("the rest of the text stays", () => {
		const sample = samples.find(({ rule }) => rule === "github-pat");
		expect(clean(sample?.text ?? "")).toBe(`const key = "ghp_…[masked]";`);
	});
});

test("at most one file in a hundred of ordinary repositories has a false alarm", async () => {
	const root = join(import.meta.dir, "../../../..");
	let files = 0;
	const alarms: string[] = [];
	const places = [
		"packages/session/src",
		"packages/tools/src",
		"packages/tui/src",
		"packages/sys/src",
		"docs",
	];
	const libraries = ["zod", "preact", "marked", "diff", "puppeteer-core"].map(
		(name) => `node_modules/${name}`,
	);
	for (const place of [...places, ...libraries]) {
		const cwd = join(root, place);
		if (!existsSync(cwd)) continue;
		for await (const name of new Bun.Glob("**/*.{js,mjs,ts,json,md}").scan({ cwd })) {
			files++;
			if (findSecrets(readFileSync(join(cwd, name), "utf8"), nothingKnown).length > 0) alarms.push(name);
		}
	}
	expect(files).toBeGreaterThan(1_000);
	expect(alarms.length / files, alarms.join(", ")).toBeLessThan(0.01);
});

describe("what this machine knows", () => {
	const env = {
		HOME: "/home/annabel",
		MY_TOKEN: "plain words only",
		DATABASE_URL: "postgres://a:b/c@d/e",
		EDITOR: "vi-improved",
	};
	const known = knownSecrets(env);
	const found = (text: string): string => maskFindings(text, findSecrets(text, known));

	test("values of the environment are masked wherever they are, also escaped", () => {
		expect(found("it said plain words only.")).toBe("it said …[masked].");
		expect(found("?q=plain%20words%20only&x")).toBe("?q=…[masked]&x");
		expect(found("vi-improved")).toBe("vi-improved");
	});

	test("keys that Tau holds are masked", () => {
		registerSecret("a-key-without-any-shape");
		expect(
			maskFindings(
				"x a-key-without-any-shape y",
				findSecrets("x a-key-without-any-shape y", knownSecrets({})),
			),
		).toBe("x …[masked] y");
	});

	test("the home directory is named ~, in paths of other systems and folders named after it", () => {
		expect(found("/home/annabel/shop/a.ts and /home/annabelle")).toBe("~/shop/a.ts and /home/annabelle");
		expect(found("cd /Users/annabel && ls")).toBe("cd /Users/user && ls");
		expect(found("sessions/--home-annabel-shop--")).toBe("sessions/--home-user-shop--");
		expect(found("see /home/annabel.")).toBe("see ~.");
	});

	test("names of fields, paths and nested arguments are masked, pictures stay, and a finding can be kept", () => {
		const token = `ghp_${"Ab3dEf6hIj9kLm2nOp5qRs8tUv1wXy4z"}9Zk2`;
		const value = {
			[`/home/annabel/${token}`]: [{ arguments: { command: `echo ${token}` } }],
			image: { mimeType: "image/png", data: token },
		};
		const { value: copy, found: all } = maskValue(value, known);
		expect(JSON.stringify(copy)).toBe(
			`{"~/ghp_…[masked]":[{"arguments":{"command":"echo ghp_…[masked]"}}],"image":{"mimeType":"image/png","data":"${token}"}}`,
		);
		expect(all.map(({ family, count }) => [family, count])).toEqual([
			["home directory", 1],
			["GitHub token", 2],
		]);
		expect(JSON.stringify(all)).not.toContain(token);
		const kept = maskValue(value, known, new Set(all.map(({ id }) => id)));
		expect(kept.value).toEqual(value);
	});
});

test("no input makes the search slow", () => {
	for (const piece of [
		"password=",
		"sk-",
		"://a:",
		"eyJ",
		"-----BEGIN PRIVATE KEY-----",
		"secret token key ",
		"A",
		"1/",
		"jira_api ",
	]) {
		const text = piece.repeat(200_000 / piece.length);
		const cpu = process.cpuUsage();
		findSecrets(text, nothingKnown);
		// CPU of this process and not the clock: quadratic work would take minutes.
		expect(process.cpuUsage(cpu).user / 1e6).toBeLessThan(5);
	}
});
