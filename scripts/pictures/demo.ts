/** Records the session of the pictures as a cassette, which docs/tour.md plays: docs/demo.cassette. */
import { rmSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../../test/support/launch.ts";
import { makeProject, prompt, scenario } from "./project.ts";

/** Words come as fast as from a quick model, so that watching it is no flicker. */
const delayMs = 25;

export async function recordDemo(): Promise<void> {
	const file = join(import.meta.dir, "../../docs/demo.cassette");
	const steps = scenario.steps.map((step) =>
		typeof step === "object" && step.answer && typeof step.answer === "object"
			? { ...step, answer: { ...step.answer, delayMs } }
			: step,
	);
	await using tau = await launch({ ...scenario, steps });
	makeProject(tau.project);
	rmSync(file, { force: true });
	const { code, err } = await tau.run(["-p", prompt, "--auto-approve", "--record", file]);
	if (code !== 0) throw new Error(`The demo was not recorded: ${err}`);
	process.stdout.write("docs/demo.cassette\n");
}
