/** Copies text to the user's clipboard: by a program of this machine, or by the terminal itself. */
import type { Terminal } from "@tau/tui";

export type Copied = { ok: true; viaTerminal: boolean } | { ok: false; message: string };

export async function copyToClipboard(terminal: Pick<Terminal, "write">, text: string): Promise<Copied> {
	const { copyText, osc52Copy } = await import("./clipboard-on-demand.ts");
	const done = await copyText(text);
	if (done.ok) return { ok: true, viaTerminal: false };
	// Over ssh no program reaches the user's clipboard; the terminal itself does.
	const sequence = osc52Copy(text);
	if (sequence === undefined) return { ok: false, message: done.message };
	terminal.write(sequence);
	return { ok: true, viaTerminal: true };
}
