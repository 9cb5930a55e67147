/**
 * What 0.1.0 and 0.2.0 have left on disk is used by this version: settings, and a session that continues. The fixtures are
 * `~/.tau` as those versions (a60b473d, b8aca31c) left it after `config set` and two prompts, with `@PROJECT@` for the
 * directory that they worked in.
 */
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { launch, type Launched } from "../support/launch.ts";

const fixtures = join(import.meta.dir, "fixtures");

/** Both versions named the directory of a project's sessions like this. */
const encoded = (path: string): string => `--${path.slice(1).replaceAll("/", "-")}--`;

function bring(version: string, { home, project }: Launched): void {
	const from = join(fixtures, version);
	for (const path of readdirSync(from, { recursive: true, encoding: "utf8" })) {
		if (!/\.\w+$/.test(path)) continue;
		const target = join(home, ".tau", path.replace("@PROJECT@", encoded(project)));
		mkdirSync(dirname(target), { recursive: true });
		const bytes = readFileSync(join(from, path));
		const isText = !path.endsWith(".pack");
		writeFileSync(target, isText ? bytes.toString("utf8").replaceAll("@PROJECT@", project) : bytes);
	}
}

describe.each(["0.1.0", "0.2.0"])("what %s has left", (version) => {
	test("is used: settings apply, the session is listed, found, continued and exported, and nothing is rewritten", async () => {
		await using tau = await launch({ steps: ["It was 41."] });
		bring(version, tau);
		const sessions = join(tau.home, ".tau/agent/sessions", encoded(tau.project));
		const name = readdirSync(sessions).find((each) => each.endsWith(".jsonl")) ?? "";
		const before = readFileSync(join(sessions, name), "utf8");
		expect((await tau.run(["config", "get", "theme"])).out).toContain("dusk");
		expect((await tau.run(["sessions", "list"])).out).toContain("remember the number 41");
		const answered = await tau.run(["-p", "-c", "--model", "played/played-1", "which number?"]);
		expect(answered).toMatchObject({ code: 0, out: "It was 41.\n" });
		const request = tau.played.requests[0]?.rawBody ?? "";
		for (const said of ["remember the number 41", "forty-one", "Still 41.", "which number?"])
			expect(request).toContain(said);
		// The log only grows.
		expect(readFileSync(join(sessions, name), "utf8")).toStartWith(before);
		const exported = await tau.run(["sessions", "export", name.slice(-42, -6), join(tau.project, "out.md")]);
		expect(exported.code).toBe(0);
		expect(readFileSync(join(tau.project, "out.md"), "utf8")).toContain("The number is 41.");
	});
});
