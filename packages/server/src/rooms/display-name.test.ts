/** What people in a room are called who have not chosen a name. */
import { expect, test } from "bun:test";

test("a user of a service without USER in its environment has the name of the system", async () => {
	const script = `const { displayName } = await import("./collab.ts"); console.log(displayName(undefined));`;
	const child = Bun.spawn([process.execPath, "-e", script], {
		cwd: import.meta.dir,
		env: { PATH: process.env.PATH ?? "", HOME: process.env.HOME ?? "/" },
		stderr: "inherit",
	});
	const [name] = (await Bun.$`id -un`.text()).split("\n");
	expect((await child.stdout.text()).trim()).toBe(String(name));
});
