/** Images in the terminal. */
export { setMaxInlineImages } from "./budget.ts";
export {
	detectCapabilities,
	getCapabilities,
	getCellDimensions,
	onImagesChanged,
	resetCapabilitiesCache,
	setCapabilities,
	setCellDimensions,
	setSixel,
	type CellDimensions,
	type TerminalCapabilities,
} from "./capabilities.ts";
export {
	getGifDimensions,
	getImageDimensions,
	getJpegDimensions,
	getPngDimensions,
	getWebpDimensions,
	type ImageDimensions,
} from "./dimensions.ts";
export { Image, type ImageOptions, type ImageTheme } from "./image.ts";
export { encodeITerm2 } from "./iterm2.ts";
export { allocateImageId, deleteAllKittyImages, deleteKittyImage, encodeKitty } from "./kitty.ts";
export { imageFallback, isImageLine, renderImage, type ImageRenderOptions } from "./picture.ts";
export { calculateImageCellSize, calculateImageRows, type ImageCellSize } from "./size.ts";
