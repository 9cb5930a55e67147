/** Extracts bracketed pastes from a component's input, also when they come in several calls. */
import { PASTE_START, PasteAssembly } from "../input/paste-assembly.ts";

export class PasteReader {
	#assembly: PasteAssembly | undefined;

	/** Pastes as text, everything else unchanged. */
	*read(data: string): Generator<{ paste: string } | { input: string }, void> {
		let rest: string | undefined = data;
		while (rest !== undefined && rest !== "") {
			if (this.#assembly === undefined) {
				const start: number = rest.indexOf(PASTE_START);
				if (start < 0) return yield { input: rest };
				if (start > 0) yield { input: rest.slice(0, start) };
				this.#assembly = new PasteAssembly();
				rest = rest.slice(start + PASTE_START.length);
				continue;
			}
			rest = this.#assembly.push(rest);
			if (rest === undefined) return;
			const { text } = this.#assembly.end();
			this.#assembly = undefined;
			yield { paste: text };
		}
	}
}
