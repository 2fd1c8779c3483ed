/** Signatures of a zip file's parts. */
export const LOCAL = 0x0403_4b50;
export const CENTRAL = 0x0201_4b50;
export const END = 0x0605_4b50;

/** Version of the format that a reader has to know: 2.0. */
export const VERSION = 20;
/** The flag that says that names are UTF-8. */
export const UTF8_NAMES = 0x0800;
/** The first moment that a zip file can tell, time in the lower half, date in the upper. */
export const MIDNIGHT_1980 = 0x0021_0000;
/** The largest offset without the extensions for large files. */
export const ZIP32 = 0xffff_ffff;
