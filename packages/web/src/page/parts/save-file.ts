/** Saves something that the page holds as a file of the user. */

/** Browsers read the address after the click has returned. */
const readingMs = 10_000;

export function saveFile(name: string, content: Blob): void {
	const link = document.createElement("a");
	link.href = URL.createObjectURL(content);
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(link.href), readingMs);
}
