/** The engine of a session compiles late; that of the programs which the executable runs for others does not. */
import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";

/** Prints after how many calls the engine has optimized a function. */
const hot = `import { noInline, numberOfDFGCompiles } from "bun:jsc";
if (process.argv[2]) Bun.unsafe.setJITPolicy(Number(process.argv[2]));
const add = (a: number, b: number): number => a + b;
noInline(add);
let calls = 0;
while (numberOfDFGCompiles(add) === 0 && calls < 100_000) {
	for (let at = 0; at < 20; at++, calls++) add(calls, at);
	await Bun.sleep(1);
}
console.log(calls);`;

test("a script that an extension starts with Tau is compiled as by any runtime", async () => {
	await using tau = await launch({ steps: [] });
	const script = join(tau.project, "hot.ts");
	writeFileSync(script, hot);
	const calls = async (...args: string[]): Promise<number> =>
		Number((await tau.run([script, ...args], { env: { TAU_EXTENSION_HOST: "1" } })).out);
	const asSession = await calls("30");
	expect(asSession).toBeGreaterThan(2000);
	expect(await calls()).toBeLessThan(asSession / 2);
});
