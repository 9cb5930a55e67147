/** What pictures the terminal can show and how large its cells are; one terminal a process, so one answer. */
import { detectFeatures, type ImageProtocol } from "../terminal-features.ts";

export interface TerminalCapabilities {
	images: ImageProtocol;
	trueColor: boolean;
	hyperlinks: boolean;
}

export interface CellDimensions {
	widthPx: number;
	heightPx: number;
}

/** Until the terminal says: a common size, and the shape matters more than the size. */
const usualCell: CellDimensions = { widthPx: 9, heightPx: 18 };

let known: (TerminalCapabilities & { placeholders: boolean }) | undefined;
let cell = usualCell;

export function detectCapabilities(): TerminalCapabilities {
	const { images, trueColor, hyperlinks } = detectFeatures();
	return { images, trueColor, hyperlinks };
}

export function getCapabilities(): TerminalCapabilities {
	return current();
}

/** For tests, and for a person who knows better; pictures as text only where it is asked for. */
export function setCapabilities(capabilities: TerminalCapabilities & { placeholders?: boolean }): void {
	known = { placeholders: false, ...capabilities };
}

export function resetCapabilitiesCache(): void {
	known = undefined;
}

/** Whether kitty's pictures can be written as text cells. */
export function hasPlaceholders(): boolean {
	return current().placeholders;
}

export function getCellDimensions(): CellDimensions {
	return cell;
}

export function setCellDimensions({ widthPx, heightPx }: CellDimensions): void {
	cell = { widthPx, heightPx };
}

function current(): TerminalCapabilities & { placeholders: boolean } {
	known ??= { ...detectCapabilities(), placeholders: detectFeatures().placeholders };
	return known;
}
