//! Relations between boxes: `:near()`, `:left-of()` and their kin.

use crate::dom::{Document, NodeId, Rect};

/// How far apart `:near()` elements may be, in CSS pixels, unless said otherwise.
const NEAR: f64 = 50.0;

/// A relation of an element's box to another's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    LeftOf,
    RightOf,
    Above,
    Below,
    Near,
}

impl Layout {
    pub(super) fn by_name(name: &str) -> Option<Self> {
        Some(match name {
            "left-of" => Layout::LeftOf,
            "right-of" => Layout::RightOf,
            "above" => Layout::Above,
            "below" => Layout::Below,
            "near" => Layout::Near,
            _ => return None,
        })
    }

    /// The smallest score of `node` against one of `others`: the gap in the
    /// relation's direction plus how much of the other box sticks out sideways.
    /// None if it stands in this relation to none of them.
    pub(super) fn score(
        self,
        document: &Document,
        node: NodeId,
        others: impl Iterator<Item = NodeId>,
        distance: Option<f64>,
    ) -> Option<f64> {
        let own = bounds(document, node);
        others
            .filter(|&other| other != node)
            .filter_map(|other| self.pair(own, bounds(document, other), distance))
            .min_by(f64::total_cmp)
    }

    fn pair(self, own: Rect, other: Rect, distance: Option<f64>) -> Option<f64> {
        let right = |rect: Rect| rect.x + rect.width;
        let bottom = |rect: Rect| rect.y + rect.height;
        let beside = (bottom(other) - bottom(own)).max(0.0) + (own.y - other.y).max(0.0);
        let across = (own.x - other.x).max(0.0) + (right(other) - right(own)).max(0.0);
        let (gap, aside) = match self {
            Layout::LeftOf => (other.x - right(own), beside),
            Layout::RightOf => (own.x - right(other), beside),
            Layout::Above => (other.y - bottom(own), across),
            Layout::Below => (own.y - bottom(other), across),
            Layout::Near => {
                let gaps = [
                    own.x - right(other),
                    other.x - right(own),
                    other.y - bottom(own),
                    own.y - bottom(other),
                ];
                let sum: f64 = gaps.into_iter().filter(|gap| *gap > 0.0).sum();
                return (sum <= distance.unwrap_or(NEAR)).then_some(sum);
            }
        };
        let close = gap >= 0.0 && distance.is_none_or(|distance| gap <= distance);
        close.then_some(gap + aside)
    }
}

/// An element without a box sits at the origin, as `getBoundingClientRect` has it.
fn bounds(document: &Document, node: NodeId) -> Rect {
    document.bounds(node).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rect(x: f64, y: f64, width: f64, height: f64) -> Rect {
        Rect {
            x,
            y,
            width,
            height,
        }
    }

    #[test]
    fn scores_by_hand() {
        let left = rect(0.0, 0.0, 10.0, 10.0);
        let right = rect(30.0, 5.0, 10.0, 10.0);
        // Gap 20; the other box sticks out 5 below.
        assert_eq!(Layout::LeftOf.pair(left, right, None), Some(25.0));
        // Gap 20; own top lies 5 under the other's.
        assert_eq!(Layout::RightOf.pair(right, left, None), Some(25.0));
        assert_eq!(Layout::RightOf.pair(left, right, None), None);
        assert_eq!(Layout::RightOf.pair(right, left, Some(19.0)), None);
        assert_eq!(Layout::Near.pair(left, right, None), Some(20.0));
        assert_eq!(Layout::Near.pair(left, right, Some(10.0)), None);
        let under = rect(2.0, 40.0, 10.0, 10.0);
        // Gap 30; own left lies 2 right of the other's.
        assert_eq!(Layout::Below.pair(under, left, None), Some(32.0));
        // Gap 30; the other sticks out 2 to the right.
        assert_eq!(Layout::Above.pair(left, under, None), Some(32.0));
    }
}
