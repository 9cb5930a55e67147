/** What the user sees while the model debugs a program. */
import { expect } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { launch } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { openTau } from "./driver.ts";

needs("/usr/lib/python3/dist-packages/debugpy/__init__.py")(
	"the calls are rows, a panel follows the program, /debugger shows the program with its breakpoints, and ends it",
	async () => {
		const args = {
			action: "launch",
			program: "shop.py",
			breakpoints: [{ at: "shop.py:2", condition: "price > 1" }],
			show: ["price"],
		};
		const steps = [
			{ answer: { blocks: [{ toolCall: { name: "debug", arguments: args } }] } },
			"The price is 5.",
		];
		await using home = await launch({ steps });
		writeFileSync(join(home.project, "shop.py"), "price = 5\nprint(price)\n");
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("played-1");
		tau.type("/debugger\r");
		await tau.until("No program is being debugged.");
		tau.type("why is it wrong\r");
		await tau.until("The price is 5.");
		expect(home.played.requests[1]?.rawBody).toContain("d1 stopped: breakpoint, shop.py:2 in");
		await tau.until("debug launch shop.py");
		await tau.until("◼ shop.py stopped at shop.py:2 in <module> · breakpoint");
		await tau.until("● shop.py:2 if price > 1");
		tau.type("/debugger\r");
		await tau.until("d1 shop.py (debugpy), stopped at shop.py:2 in <module>: breakpoint");
		await tau.until("shop.py:2 if price > 1");
		tau.type("/debugger end d1\r");
		await tau.until("Ended d1.");
		await tau.untilGone("◼ shop.py");
	},
	180_000,
);
