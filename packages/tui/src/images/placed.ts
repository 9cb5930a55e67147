/** Stand-in until written. */
export interface PlacedImage {
	rows: number;
}
export function takeImage(text: string): { text: string; image: PlacedImage | undefined } {
	return { text, image: undefined };
}
export function drawImage(_image: PlacedImage): string {
	return "";
}
export function removeImage(_image: PlacedImage): string {
	return "";
}
