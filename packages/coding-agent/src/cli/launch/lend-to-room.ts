/** `/join`: lends the terminal to a Tau that is a guest elsewhere; when it ends, the screen is as it was. */
import { ownProgram } from "@tau/server/local/own-program";

/** Others of this machine can read the arguments of a process, and not its environment. */
export const linkVariable = "TAU_JOIN_LINK";

/** The screen must have released the terminal. Rejects if it cannot be started, or could not join. */
export async function lendToRoom(link: string): Promise<void> {
	const child = Bun.spawn([...ownProgram(), "join"], {
		stdio: ["inherit", "inherit", "inherit"],
		env: { ...process.env, [linkVariable]: link },
	});
	const code = await child.exited;
	if (code !== 0) throw new Error("The shared session has ended, or could not be joined; above it says why.");
}
