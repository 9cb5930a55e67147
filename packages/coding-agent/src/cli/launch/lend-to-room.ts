/** `/join`: lends the terminal to a Tau that is a guest elsewhere; when it ends, the screen is as it was. */
import { ownProgram } from "@tau/server/local/own-program";

/** Others of this machine can read the arguments of a process, and not its environment. */
export const linkVariable = "TAU_JOIN_LINK";

/** The screen must have released the terminal. Rejects with the reason if it could not join, or the session has ended. */
export async function lendToRoom(link: string): Promise<void> {
	// What the guest prints at its end is gone when our screen is drawn again.
	let reason = "The shared session could not be shown.";
	const child = Bun.spawn([...ownProgram(), "join"], {
		stdio: ["inherit", "inherit", "inherit"],
		env: { ...process.env, [linkVariable]: link },
		ipc(message: unknown) {
			if (typeof message === "string") reason = message;
		},
	});
	const code = await child.exited;
	if (code !== 0) throw new Error(reason);
}

/** Says why it ends, to a Tau that has lent the terminal. */
export function tellLender(reason: string): void {
	process.send?.(reason);
}
