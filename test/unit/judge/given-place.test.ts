import { describe, expect, it } from 'vitest';
import { givenPlace } from '../../../src/judge/given-place.ts';
import { identitiesOf } from '../../../src/provider/identity.ts';
import type { Page } from '../../../src/provider/page.ts';
import { aPage } from '../../support/page.ts';

const TOTAL = 40;

/** The page of 10 records from `given` on, as the answer to a request for `skip`. */
function pageOf(skip: number, given: number, link: number | null = given + 10): Page {
  return aPage({
    target: `/v1/printers?$count=true&$pagesize=10&$skip=${skip}`,
    itemCount: 10,
    identities: identitiesOf(Array.from({ length: 10 }, (_, place) => `record-${given + place}`)),
    link: link === null ? undefined : `/v1/printers?$count=true&$pagesize=10&$skip=${link}`,
    count: TOTAL,
  });
}

describe('the place that a page answers', () => {
  it('is that of its link and its records if other pages show them there', () => {
    const place = givenPlace(pageOf(10, 0), { skip: 10, size: 10 }, [pageOf(0, 0)]);
    expect(place?.skip).toBe(0);
  });

  it('is not known if the link alone is of another place', () => {
    const others = [pageOf(0, 0), pageOf(10, 10), pageOf(20, 20)];
    expect(givenPlace(pageOf(10, 10, 10), { skip: 10, size: 10 }, others)).toBeNull();
  });

  it('is not known if no other page gives its records', () => {
    expect(givenPlace(pageOf(10, 0), { skip: 10, size: 10 }, [pageOf(20, 20)])).toBeNull();
  });

  it('is not shown by pages that contradict their request', () => {
    expect(givenPlace(pageOf(10, 0), { skip: 10, size: 10 }, [pageOf(20, 0)])).toBeNull();
  });

  it('is that of the last page if the page has no link', () => {
    const others = [pageOf(0, 0), pageOf(30, 30, null)];
    const place = givenPlace(pageOf(0, 30, null), { skip: 0, size: 10 }, others);
    expect(place?.skip).toBe(30);
  });

  it('is not known if offsets count from 1', () => {
    const ofOne = (skip: number): Page => pageOf(skip, skip - 1, skip + 10);
    expect(givenPlace(pageOf(0, 0, 11), { skip: 0, size: 10 }, [ofOne(1), ofOne(11), ofOne(21)])).toBeNull();
  });

  it('is not known if the last page is filled up with records before its own', () => {
    const others = [pageOf(20, 20), pageOf(30, 30, null)];
    expect(givenPlace(pageOf(35, 30, null), { skip: 35, size: 10 }, others)).toBeNull();
  });

  it('is its own for a page whose $skip and link agree', () => {
    expect(givenPlace(pageOf(10, 10), { skip: 10, size: 10 }, [pageOf(0, 0)])).toBeNull();
  });
});
