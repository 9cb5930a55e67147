/** A command says before it runs what it is judged by. */
import { expect, test } from "bun:test";

import { commandTouch } from "./touch.ts";

test("a command with async is judged as one that runs beside later commands", () => {
	const context = { cwd: "/p", resolve: (path: string) => path };
	expect(commandTouch({ command: "cat f", async: true }, context)).toMatchObject([{ isBackground: true }]);
	expect(commandTouch({ command: "cat f" }, context)[0]).not.toHaveProperty("isBackground");
});
