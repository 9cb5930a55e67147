/** What the user sees while the model uses a browser. */
import { expect } from "bun:test";

import { startSite } from "../support/browser/site.ts";
import { launch } from "../support/launch.ts";
import { needs } from "../support/needs.ts";
import { openTau } from "./driver.ts";

needs("chromium")(
	"a private address is asked about once, the calls are rows, and /browser shows and closes the browser",
	async () => {
		using site = startSite();
		const call = (args: Record<string, unknown>): object => ({
			answer: { blocks: [{ toolCall: { name: "browser", arguments: args } }] },
		});
		const url = site.url("/form.html");
		const steps = [
			call({ action: "open", url }),
			call({ action: "fill", ref: 3, text: "Ada" }),
			"The form works.",
			call({ action: "open", url: "file:///etc/passwd" }),
			"That was refused.",
		];
		await using home = await launch({ steps });
		await using tau = await openTau({ steps: [] }, { home });
		await tau.until("played-1");
		tau.type("/browser\r");
		await tau.until("The browser is not running.");
		tau.type("does the form work\r");
		await tau.until("the browser wants to connect to localhost");
		// A question that comes soon after a key does not take the next one.
		await tau.until(/ctrl\+x to answer|enter to select/);
		if (tau.screen().includes("ctrl+x to answer")) tau.press("ctrlX");
		await tau.until("enter to select");
		tau.type("\r");
		await tau.until("The form works.");
		// The first request does not pay for the tool.
		expect(home.played.requests[0]?.rawBody).not.toContain("clear_cookies");
		expect(home.played.requests[1]?.rawBody).toContain("3 textbox Name required");
		expect(home.played.requests[2]?.rawBody).toContain("~ 3 textbox Name = Ada required");
		await tau.until("browser fill 3 Ada");
		tau.type("/browser\r");
		await tau.until(`* tab 1 ${url}`);
		tau.type("/browser visible\r");
		await tau.until("The browser starts visible with the next page. Its tabs were closed.");
		tau.type("/browser close\r");
		await tau.until("The browser is not running.");
		tau.type("and files\r");
		await tau.until("That was refused.");
		expect(home.played.requests[4]?.rawBody).toContain("file: pages are not opened");
	},
	180_000,
);
