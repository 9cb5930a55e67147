/** Homes of containers, services and mistakes: Tau works in them, or names what is wrong with HOME. */
import { afterAll, describe, expect, setDefaultTimeout } from "bun:test";
import { chmodSync, chownSync, existsSync } from "node:fs";
import { join } from "node:path";

import { become, launchAsUser, removeCopies, user } from "../support/as-user.ts";
import { needs } from "../support/needs.ts";

setDefaultTimeout(240_000);
afterAll(removeCopies);

const asUser = needs(...(become.length > 0 ? ["setpriv"] : []));
const env = { TAU_SANDBOX: "auto", TAU_BWRAP: "/nonexistent/bwrap" };

/** Containers have `/`. Where root has used it as its home, `/.tau` is there, which is another case (below). */
const unwritable = existsSync("/.tau") ? "/usr" : "/";

describe.each([unwritable, "/nonexistent"])("HOME=%s", (HOME) => {
	asUser("commands and searches run, and one line says that nothing is saved", async () => {
		await using tau = await launchAsUser({ steps: [] }, { env: { ...env, HOME } });
		await Bun.write(join(tau.project, "a.txt"), "needle\n");
		const { code, out, err } = await tau.run(["-p", "run id -u", "--model", "tau/demo"]);
		expect(code).toBe(0);
		expect(out).toContain(`\n${user}\n`);
		expect(err).toMatch(
			/^tau: The session is not being saved: cannot create [^\n]+: permission denied[^\n]*\n$/,
		);
		expect(await tau.run(["grep", "needle"])).toMatchObject({
			code: 0,
			out: expect.stringContaining("a.txt"),
		});
	});

	asUser("tau doctor names HOME once, and what to set", async () => {
		await using tau = await launchAsUser({ steps: [] }, { env: { ...env, HOME } });
		const { problems } = JSON.parse((await tau.run(["doctor", "--mode", "json"])).out);
		expect(problems.filter(({ area }: { area: string }) => area === "storage")).toEqual([
			{
				area: "storage",
				severity: "error",
				problem: expect.stringContaining(`HOME, ${HOME}, `),
				fix: "Set HOME, or TAU_CONFIG_DIR, to a directory that you can write to.",
			},
		]);
	});
});

// As `sudo tau` leaves it where sudo keeps the HOME of who calls it.
needs("root", "setpriv")(
	"a ~/.tau that belongs to root is one sentence, which says how to get it back",
	async () => {
		await using tau = await launchAsUser({ steps: [] }, { env });
		const own = join(tau.home, ".tau");
		chownSync(own, 0, 0);
		chmodSync(own, 0o700);
		const err = `tau: You have no access to ${own}. As root, run: chown -R ${user} ${own}; or set TAU_CONFIG_DIR to a directory that you can write to.\n`;
		expect(await tau.run(["-p", "run id", "--model", "tau/demo"])).toEqual({ code: 2, out: "", err });
		expect(await tau.run(["doctor"])).toEqual({ code: 2, out: "", err });
		expect(await tau.run(["--version"])).toMatchObject({ code: 0 });
	},
);

describe("a HOME that cannot be used is one sentence", () => {
	const cases: [HOME: string, err: string][] = [
		["/dev/null", "tau: HOME is not a directory: /dev/null."],
		["home", "tau: HOME is not an absolute path: home."],
		// Only a user without a name in the password file has none: the tests of root use such a one.
		...(become.length > 0 ? [["", "tau: HOME is not set."] as [string, string]] : []),
	];
	for (const [HOME, expected] of cases)
		asUser(`HOME=${HOME}`, async () => {
			await using tau = await launchAsUser({ steps: [] }, { env: { ...env, HOME } });
			const { code, out, err } = await tau.run(["-p", "run id", "--model", "tau/demo"]);
			expect({ code, out }).toEqual({ code: 2, out: "" });
			expect(err).toBe(
				`${expected} Set ${HOME === "/dev/null" ? "HOME" : "it"} to a directory that you can write to.\n`,
			);
			expect((await tau.run(["--help"])).code).toBe(0);
		});
});
