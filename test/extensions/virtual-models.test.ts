/** A virtual model on the command line. */
import { expect, test } from "bun:test";
import { join } from "node:path";

import { launch } from "../support/launch.ts";

test("--base-url with a virtual model is refused with the reason, and without it the model answers", async () => {
	await using tau = await launch({ steps: ["Routed."] });
	const extension = join(tau.home, "router.ts");
	await Bun.write(
		extension,
		`export default (pi) => pi.registerVirtualModel({ provider: "router", id: "auto", name: "Auto", thinkingLevels: ["off"],
			route: (request, ctx) => ({ model: ctx.modelRegistry.find("played", "played-1") }) });`,
	);
	const args = ["-p", "hi", "--extension", extension, "--model", "router/auto"];
	const refused = await tau.run([...args, "--base-url", tau.played.anthropicUrl]);
	expect(refused.code).toBe(2);
	expect(refused.err).toContain("--base-url does not apply to router/auto, which has no address of its own");
	expect(await tau.run(args)).toMatchObject({ code: 0, out: "Routed.\n" });
});
