/** A screen that reads a session behind its client is caught, and so is an exception that nobody needs any more. */
import { describe, expect, test } from "bun:test";

import { screen } from "./checks/screen.ts";
import { problemsIn, report } from "./fixture.ts";
import { repository } from "./tree.ts";

const home = "packages/interactive/src/";

describe("screen", () => {
	test("the interactive mode of the repository draws from its client", async () => {
		expect(await report(screen, repository)).toBe("");
	});

	test.each([
		`import type { SessionHost } from "@tau/session/host";`,
		`import { SessionManager } from "@tau/session";`,
		`const log = await import("@tau/log");`,
	])("%s is caught", async (source) => {
		const [problem, ...more] = await problemsIn(screen, { [`${home}views/x.ts`]: `\n${source}` });
		expect(problem).toStartWith(`${home}views/x.ts:2 imports "@tau/`);
		expect(more).toEqual([]);
	});

	test("an exception is removed when its file is converted", async () => {
		const problems = await problemsIn(screen, { [`${home}commands/resume.ts`]: `import "@tau/wire";` });
		expect(problems).toEqual([
			`${home}commands/resume.ts no longer imports "@tau/log": remove it from the list in test/architecture/checks/screen.ts`,
		]);
	});

	test("the protocol, the screen's own settings, tests and other modes pass", async () => {
		const source = `import type { SessionHost } from "@tau/session/host";`;
		const files = {
			[`${home}x.ts`]: `import type { SessionClient } from "@tau/wire"; import type { Settings } from "@tau/config/settings";`,
			[`${home}x.test.ts`]: source,
			"packages/coding-agent/src/modes/acp/x.ts": source,
		};
		expect(await problemsIn(screen, files)).toEqual([]);
	});
});
