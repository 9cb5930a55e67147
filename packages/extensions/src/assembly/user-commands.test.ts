/** The user's own commands say what the sandbox has denied them. */
import { expect, test } from "bun:test";

import { testToolEnv } from "../../../../test/support/tool-env.ts";
import { runUserCommand } from "./user-commands.ts";

test("a command of the user that the sandbox has stopped says how to allow it", async () => {
	const denial = {
		what: "/x is read-only",
		allow: { setting: "sandbox.writable" as const, values: ["/x"] },
		mayRunOutside: true,
	};
	await using env = await testToolEnv({
		sandbox: {
			denials: async (output) => (output.includes("Read-only") ? [denial] : []),
			overlayProblem: async () => undefined,
			requestLocal: async () => false,
			isOwnPort: () => false,
			hostBrowser: () => ({ [Symbol.dispose]() {} }),
			requestOutside: () => Promise.reject(new Error("Nobody asks the user about a command of their own.")),
			get outside(): never {
				throw new Error("It does not run again.");
			},
		},
	});
	const run = runUserCommand(env);
	const options = { signal: new AbortController().signal, isPrivate: false };
	const { output, exitCode } = await run("echo Read-only; false", options);
	expect(exitCode).toBe(1);
	expect(output).toBe(
		"Read-only\n[The sandbox denied:\n- /x is read-only\nTo allow it: /sandbox off, or sandbox.writable: [/x]]",
	);
	expect((await run("echo Read-only", options)).output.trim()).toBe("Read-only");
});
