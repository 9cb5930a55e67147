/** Cells of the user over RPC. */
import { existsSync } from "node:fs";
import { join } from "node:path";

import { expect } from "bun:test";

import { needs } from "../support/needs.ts";
import { launch } from "../support/launch.ts";
import { isEvent, startRpc } from "./rpc-process.ts";

needs("python3")(
	"cell runs cells of the user in both languages, abort_bash interrupts one, and the model reads them",
	async () => {
		await using tau = await launch({ steps: ["I see."] });
		await using rpc = startRpc(tau);
		const ran = async (cell: object): Promise<unknown> => (await rpc.ask({ type: "cell", ...cell })).data;
		await ran({ code: "total = 40" });
		expect(await ran({ code: "total + 2" })).toMatchObject({
			output: "42",
			exitCode: 0,
			cancelled: false,
			truncated: false,
		});
		expect(await ran({ code: "'b'.codePointAt(0)", language: "js" })).toMatchObject({
			output: "98",
		});
		expect(await ran({ code: "1 / 0", excludeFromContext: true })).toMatchObject({
			exitCode: 1,
			output: expect.stringContaining("division"),
		});
		const endless = "open('started', 'w').close()\nwhile True: pass";
		rpc.write({ id: "endless", type: "cell", code: endless });
		while (!existsSync(join(tau.project, "started"))) await Bun.sleep(5);
		await rpc.ask({ type: "abort_bash" });
		expect(await rpc.until(({ id }) => id === "endless")).toMatchObject({ data: { cancelled: true } });
		await rpc.ask({ type: "prompt", message: "what did I run?" });
		await rpc.until(isEvent("agent_end"));
		const { rawBody: body = "" } = tau.played.requests[0] ?? {};
		for (const text of ["Ran Python:", "total + 2", "Ran JavaScript:", "codePointAt"])
			expect(body).toContain(text);
		expect(body).not.toContain("1 / 0");
	},
	180_000,
);
