/** Prints an error: one line on standard error, without a stack, a secret or a control sequence. */
import { maskSecrets, ownWrite, stripControls } from "@tau/utils";

export function printError(message: string): void {
	ownWrite(process.stderr)(`tau: ${stripControls(maskSecrets(message), { newline: false, tab: false })}\n`);
}
