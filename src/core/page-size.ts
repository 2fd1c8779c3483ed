/** The largest page size that is specified, which also applies without `$pagesize` (8). mock has its own, to share no mistake. */
export const MAX_PAGE_SIZE = 500;
